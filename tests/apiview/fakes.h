#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiview/pod_interceptor.h"

namespace berth::apiview::testing {

// Keeps what the client gets.
class Client final : public proxy::Reply {
 public:
  void head(int code, proxy::Headers) override { status = code; }
  void body(std::string bytes) override { text += bytes; }
  void end() override { has_ended = true; }
  void abort() override { is_broken = true; }
  std::size_t queued() const override { return 0; }
  bool is_full() override { return is_slow; }
  void leave_upstream() override { has_left = true; }

  int status = 0;
  std::string text;
  bool has_ended = false;
  bool is_broken = false;
  bool has_left = false;  // upstream
  bool is_slow = false;
};

struct Calls final : ports::Attempts {
  Stage of(const std::string& pod_uid) const override {
    const auto found = stages.find(pod_uid);
    return found == stages.end() ? Stage::none : found->second;
  }
  bool is_quiet(const std::string& pod_uid) const override { return quiet == pod_uid; }
  std::map<std::string, Stage> stages;
  std::string quiet;  // uid of a pod
};

struct Events final : ports::EventSink {
  void post(ClusterEvent event) override { posted.push_back(std::move(event)); }
  std::vector<ClusterEvent> posted;
};

struct NoCalls final : ports::Attempts {
  Stage of(const std::string&) const override { return Stage::none; }
  bool is_quiet(const std::string&) const override { return false; }
};

struct NoEvents final : ports::EventSink {
  void post(ClusterEvent) override {}
};

}  // namespace berth::apiview::testing
