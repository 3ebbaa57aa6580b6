#include "proxy/transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proxy/headers.h"
#include "proxy/stream.h"

namespace berth::proxy {
namespace {

// libcurl gives each request a buffer.
constexpr long kCallBytes = 16 << 10;
constexpr long kStreamBytes = 64 << 10;

bool is_call(const Request& request, const RequestBody& body) {
  return curl::is_write(request.method) && body.is_whole;
}

}  // namespace

Transfer::Transfer(UpstreamClient& upstream, const Request& request, RequestBody body,
                   Stream& stream)
    : curl::Transfer(upstream.server(), request.target,
                     is_call(request, body) ? curl::Connections::shared : curl::Connections::own),
      upstream_(upstream),
      stream_(stream),
      body_(std::move(body)),
      is_call_(is_call(request, body_)) {
  curl_easy_setopt(easy(), CURLOPT_BUFFERSIZE, is_call_ ? kCallBytes : kStreamBytes);
  curl_easy_setopt(easy(), CURLOPT_HTTP_CONTENT_DECODING, 0L);
  add_lines(request);
  if (body_.is_whole) {
    set_request(request.method, body_.bytes);
  } else {
    curl_easy_setopt(easy(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy(), CURLOPT_READFUNCTION, read_body);
    curl_easy_setopt(easy(), CURLOPT_READDATA, this);
    curl_easy_setopt(easy(), CURLOPT_INFILESIZE_LARGE,
                     body_.length ? static_cast<curl_off_t>(*body_.length) : curl_off_t{-1});
    curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  ++upstream_.state().counts.transfers_open;
}

Transfer::~Transfer() {
  if (pool_ != nullptr) pool_->remove(*this);
  --upstream_.state().counts.transfers_open;
}

void Transfer::add_lines(const Request& request) {
  const ProxyState& state = upstream_.state();
  for (const Header& header : request.headers) {
    if (state.options.has_token && names_caller(header)) continue;  // VIEW-8
    add_line(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  for (const char* name : {"accept", "content-type", "user-agent"}) {
    const auto is_it = [&](const Header& each) { return each.name == name; };
    if (std::none_of(request.headers.begin(), request.headers.end(), is_it)) {
      add_line(std::string(name) + ":");
    }
  }
  if (!state.authorization.empty()) add_line(state.authorization);
}

bool Transfer::start() {
  curl::Pool& pool = upstream_.choose_pool(is_call_);
  if (!pool.add(*this)) return false;
  pool_ = &pool;
  return true;
}

void Transfer::resume() {
  if (pool_ == nullptr || !is_answer_paused_) return;
  is_answer_paused_ = false;
  unpause();
}

void Transfer::add_body(std::string_view bytes) {
  body_.bytes += bytes;
  if (pool_ == nullptr || !is_body_paused_) return;
  is_body_paused_ = false;
  unpause();
}

void Transfer::end_body() {
  body_.is_whole = true;
  add_body({});
}

// libcurl sets both directions at once.
void Transfer::unpause() {
  curl_easy_pause(
      easy(), (is_answer_paused_ ? CURLPAUSE_RECV : 0) | (is_body_paused_ ? CURLPAUSE_SEND : 0));
}

std::size_t Transfer::read_body(char* into, std::size_t, std::size_t room, void* user) {
  return static_cast<Transfer*>(user)->take_from_body(into, room);
}

std::size_t Transfer::take_from_body(char* into, std::size_t room) {
  if (!stream_.may_be_sent()) return CURL_READFUNC_ABORT;
  std::string& bytes = body_.bytes;
  const std::size_t size = std::min(room, bytes.size() - sent_);
  if (size == 0 && body_.is_whole) return 0;
  if (size == 0) {
    is_body_paused_ = true;
    return CURL_READFUNC_PAUSE;
  }
  std::memcpy(into, bytes.data() + sent_, size);
  sent_ += size;
  if (sent_ == bytes.size()) {
    bytes.clear();
    sent_ = 0;
  }
  stream_.on_body_taken(size);
  return size;
}

void Transfer::on_head(int status, Headers headers) {
  std::erase_if(headers, [](const Header& each) { return !passes_downstream(each); });
  stream_.on_upstream_head(status, std::move(headers));
}

curl::Transfer::Taken Transfer::on_body(std::string_view bytes) {
  is_answer_paused_ = stream_.is_full();
  if (is_answer_paused_) return Taken::later;
  stream_.on_upstream_body(bytes);
  return Taken::whole;
}

bool Transfer::may_be_sent() { return stream_.may_be_sent(); }

void Transfer::on_done(CURLcode code) {
  pool_ = nullptr;
  const std::string why = failure(code);
  if (why.empty()) return stream_.on_upstream_done();
  stream_.on_upstream_failure(upstream_.server().authority() + ": " + why);
}

}  // namespace berth::proxy
