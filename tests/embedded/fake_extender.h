#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "embedded/waiting.h"
#include "http/http_server.h"
#include "http/message.h"

namespace berth::embedded {

// An extender on a real port that records what it is asked and answers as a test decides. By
// default it keeps all nodes, scores none and binds at once, to nothing. Answers are made on
// one thread.
class FakeExtender {
 public:
  struct Call {
    std::string path;
    nlohmann::json body;

    std::string pod() const {
      return path == "/commit/bind" ? body.at("PodName").get<std::string>()
                                    : body.at("Pod").at("metadata").at("name").get<std::string>();
    }
    std::vector<std::string> names() const { return body.at("NodeNames"); }
  };
  using Answer = std::function<http::Response(const Call&)>;

  FakeExtender() {
    http::ServerOptions options;
    options.io_threads = 1;
    server_ = http::make_http_server(
        options, [this](const http::Request& request, http::Responder responder) {
          handle(request, std::move(responder));
        });
    started_ = static_cast<bool>(server_->start());
  }
  ~FakeExtender() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      held_.clear();
    }
    (void)server_->stop(std::chrono::milliseconds(100));
  }

  bool is_started() const { return started_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  http::ServerCounts counts() const { return server_->counts(); }

  void on(const std::string& path, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }
  // Bind calls wait until release_binds().
  void hold_binds() {
    const std::lock_guard lock(mutex_);
    holds_ = true;
  }
  void release_binds(const http::Response& response) {
    const std::lock_guard lock(mutex_);
    holds_ = false;
    for (http::Responder& responder : held_) responder.answer(response);
    held_.clear();
  }

  std::vector<Call> calls(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    return calls_to(path);
  }
  bool wait_for_calls(const std::string& path, std::size_t count,
                      std::chrono::milliseconds patience = kPatience) const {
    std::unique_lock lock(mutex_);
    return called_.wait_for(lock, patience, [&] { return calls_to(path).size() >= count; });
  }

  static http::Response json(const nlohmann::json& body) {
    return {200, "application/json", body.dump()};
  }
  static http::Response keep(const std::vector<std::string>& names) {
    return json(
        {{"Nodes", nullptr}, {"NodeNames", names}, {"FailedNodes", nullptr}, {"Error", ""}});
  }

 private:
  std::vector<Call> calls_to(const std::string& path) const {
    std::vector<Call> found;
    for (const Call& call : calls_) {
      if (call.path == path) found.push_back(call);
    }
    return found;
  }

  http::Response usual(const Call& call) const {
    if (call.path == "/plan/filter") return keep(call.names());
    if (call.path == "/plan/prioritize") return json(nlohmann::json::array());
    return json({{"Error", ""}});
  }

  void handle(const http::Request& request, http::Responder responder) {
    const Call call{request.path, nlohmann::json::parse(request.body)};
    Answer answer;
    bool is_held = false;
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(call);
      const auto found = answers_.find(call.path);
      if (found != answers_.end()) answer = found->second;
      is_held = holds_ && call.path == "/commit/bind";
      if (is_held) held_.push_back(std::move(responder));
    }
    called_.notify_all();
    if (!is_held) responder.answer(answer ? answer(call) : usual(call));
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable called_;
  std::vector<Call> calls_;
  std::map<std::string, Answer> answers_;
  std::vector<http::Responder> held_;
  bool holds_ = false;
  bool started_ = false;
  std::unique_ptr<http::HttpServer> server_;
};

}  // namespace berth::embedded
