#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "embedded/kubelet.h"
#include "http/router.h"
#include "support/agenda.h"

namespace berth::embedded {

using support::Agenda;

inline TimePoint test_start() { return TimePoint(std::chrono::seconds(1'790'000'000)); }

inline NodeObject make_node(const std::string& name, std::int64_t cpu_milli = 4'000) {
  NodeObject node;
  node.name = name;
  node.uid = "node-" + name;
  node.labels = {{"kubernetes.io/hostname", name}};
  node.allocatable = {{"cpu", cpu_milli}, {"memory", std::int64_t{8} << 30}, {"pods", 110}};
  return node;
}

inline PodObject make_pod(const std::string& name, std::int64_t cpu_milli = 1'000,
                          const std::string& scheduler = "berth") {
  PodObject pod;
  pod.name_space = "default";
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.scheduler_name = scheduler;
  pod.request = {{"cpu", cpu_milli}, {"pods", 1}};
  return pod;
}

inline void nominate(ApiServer& server, const std::string& uid, const std::string& node) {
  server.write({{.uid = uid}, ports::PodWrite{.node = node}});
}

// An extender that records what it is asked and answers as a test decides. By default it keeps all
// nodes, scores none and binds at once, to nothing.
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
    for (const char* path :
         {"/plan/filter", "/plan/prioritize", "/guard/preempt", "/commit/bind"}) {
      router_.add("POST", path, [this](const http::Request& request, http::Responder responder) {
        handle(request, std::move(responder));
      });
    }
  }

  const http::Router& router() const { return router_; }
  void on(const std::string& path, Answer answer) { answers_[path] = std::move(answer); }
  // Calls of that path are not answered.
  void hold(const std::string& path) { held_path_ = path; }
  std::size_t hung_up() const { return hung_up_; }
  std::vector<Call> calls(const std::string& path) const {
    std::vector<Call> found;
    for (const Call& call : calls_) {
      if (call.path == path) found.push_back(call);
    }
    return found;
  }

  static http::Response json(const nlohmann::json& body) {
    return {200, "application/json", body.dump()};
  }
  static http::Response keep(const std::vector<std::string>& names) {
    return json(
        {{"Nodes", nullptr}, {"NodeNames", names}, {"FailedNodes", nullptr}, {"Error", ""}});
  }

 private:
  http::Response usual(const Call& call) const {
    if (call.path == "/plan/filter") return keep(call.names());
    if (call.path == "/guard/preempt") return json(call.body);
    if (call.path == "/plan/prioritize") return json(nlohmann::json::array());
    return json({{"Error", ""}});
  }

  void handle(const http::Request& request, http::Responder responder) {
    calls_.push_back({request.path, nlohmann::json::parse(request.body)});
    const Call call = calls_.back();
    if (call.path == held_path_) {
      responder.on_disconnect([this] { ++hung_up_; });
      return held_.push_back(std::move(responder));
    }
    const auto found = answers_.find(call.path);
    responder.answer(found == answers_.end() ? usual(call) : found->second(call));
  }

  http::Router router_;
  std::vector<Call> calls_;
  std::map<std::string, Answer> answers_;
  std::string held_path_;
  std::vector<http::Responder> held_;
  std::size_t hung_up_ = 0;
};

}  // namespace berth::embedded
