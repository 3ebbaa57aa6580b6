#include "tools/page/loopback.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "http/browser_headers.h"

namespace berth::tools {

namespace {

constexpr std::chrono::seconds kLongestAnswer{35};  // berthd answers within 20 s
constexpr std::array<std::string_view, 5> kOwnHeaders{
    "connection", "content-length", "content-type", "keep-alive", "transfer-encoding"};

http::Response response_of(http::Reply reply) {
  http::Response response{reply.status, std::string(reply.header("content-type")),
                          std::move(reply.body)};
  for (auto& [name, value] : reply.headers) {
    if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), name) != kOwnHeaders.end()) continue;
    response.headers.emplace_back(name, std::move(value));
  }
  response.headers.emplace_back("Berth-Forwarded", "berth page");  // PAGE-16
  return response;
}

// A proxy before berthd may take such a path for another one, outside of /page/.
bool leads_elsewhere(std::string_view path) {
  if (path.find_first_of("%\\") != std::string_view::npos) return true;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

}  // namespace

Loopback::~Loopback() {
  if (server_ != nullptr) static_cast<void>(server_->stop(std::chrono::seconds(0)));
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  states_.news.notify_all();
  files_.news.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status Loopback::start(std::uint16_t port) {
  http::ServerOptions options;
  options.port = port;
  options.max_body_bytes = 1024;
  options.headers = http::browser_headers();  // PAGE-10
  server_ = http::make_http_server(options, [this](const auto& request, http::Responder responder) {
    take(request, std::move(responder));
  });
  if (Status started = server_->start(); !started) return started;
  const auto add_threads = [this](Line& line, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, &line] { run(line); });
  };
  add_threads(states_, kStatesAtOnce);
  add_threads(files_, kFilesAtOnce);
  return Done{};
}

std::string Loopback::url() const {
  return "http://127.0.0.1:" + std::to_string(server_->port()) + "/page/";
}

void Loopback::set_berthd(std::shared_ptr<http::HttpClient> berthd, std::string why) {
  const std::lock_guard lock(mutex_);
  berthd_ = std::move(berthd);
  why_ = std::move(why);
}

// Another name that leads here would be a web site's of others, whose script reads the answer.
void Loopback::take(const http::Request& request, http::Responder responder) {
  const std::string port = ":" + std::to_string(server_->port());
  const std::string& path = request.path;
  if (request.host != "127.0.0.1" + port && request.host != "localhost" + port) {
    return responder.answer(
        http::text_response(421, "the header Host is of another; expected 127.0.0.1" + port));
  }
  if (path == "/") {
    http::Response response = http::text_response(308, "the page is at /page/");
    response.headers.emplace_back("Location", "/page/");
    return responder.answer(std::move(response));
  }
  if (request.method != "GET" || (path != "/page" && !path.starts_with("/page/"))) {
    return responder.answer(http::text_response(404, "expected GET of a path below /page/"));
  }
  if (leads_elsewhere(path)) {
    return responder.answer(http::text_response(
        400, "expected a path without \"..\", \".\", \"%\" and \"\\\""));  // PAGE-18
  }
  std::string target = request.query.empty() ? path : path + "?" + request.query;
  const std::stop_source left;
  responder.on_disconnect([left]() mutable { left.request_stop(); });
  Line& line = path == "/page/state" ? states_ : files_;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(line.orders, [](const Order& each) { return each.left.stop_requested(); });
    if (line.orders.size() < kWaitingMost) {
      line.orders.push_back({std::move(target), std::move(responder), left});
      line.news.notify_one();
      return;
    }
  }
  responder.answer(http::text_response(503, "too many ask at once, ask again"));
}

// PAGE-19
void Loopback::run(Line& line) {
  std::unique_lock lock(mutex_);
  while (true) {
    line.news.wait(lock, [&] { return is_ended_ || !line.orders.empty(); });
    if (is_ended_) return;
    Order order = std::move(line.orders.front());
    line.orders.pop_front();
    lock.unlock();
    if (!order.left.stop_requested()) order.responder.answer(ask(order));
    lock.lock();
  }
}

http::Response Loopback::ask(const Order& order) {
  std::shared_ptr<http::HttpClient> berthd;
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    berthd = berthd_;
    why = why_;
  }
  if (berthd == nullptr) return http::text_response(502, "berthd cannot be reached: " + why);
  Result<http::Reply> reply = berthd->get(order.target, kLongestAnswer, order.left.get_token());
  if (!reply) return http::text_response(502, "berthd does not answer: " + reply.error().message);
  if (reply->status == 401) was_refused_ = true;
  return response_of(std::move(*reply));
}

}  // namespace berth::tools
