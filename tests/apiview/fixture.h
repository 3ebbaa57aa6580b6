#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiview/fakes.h"
#include "podview/samples.h"

namespace berth::apiview {

using podview::testing::event;
using podview::testing::events_of;
using podview::testing::Sample;
using testing::Calls;
using testing::Client;
using testing::Events;
using Texts = std::vector<std::string>;

inline constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

// One kube-scheduler and its API server.
class PodInterceptorTest : public ::testing::Test {
 protected:
  explicit PodInterceptorTest(podview::PodWindow* window = nullptr) : window_(window) {}

  // A request whose answer is intercepted.
  struct Open {
    proxy::Request sent;
    std::unique_ptr<Client> client = std::make_unique<Client>();
    std::unique_ptr<proxy::Exchange> exchange;

    void answer(const std::string& bytes, const char* type = kProtobuf) {
      exchange->on_head(200, {{"content-type", type}});
      exchange->on_body(bytes);
    }
    void close(bool is_delivered = true) {
      exchange->on_closed(is_delivered);
      exchange.reset();
    }
    Texts events() { return events_of(std::exchange(client->text, "")); }
  };

  Open get(const std::string& query, const std::string& accept = kProtobuf) {
    Open open;
    open.sent = {"GET",
                 "/api/v1/pods?" + query,
                 {{"accept", accept}, {"accept-encoding", "gzip"}, {"user-agent", "scheduler"}}};
    open.exchange = interceptor_.intercept(open.sent, *open.client);
    return open;
  }
  Open list(const std::string& version, const std::vector<Sample>& pods) {
    Open open = get("limit=500&resourceVersion=0");
    open.answer(podview::testing::list(version, pods));
    open.exchange->on_end();
    return open;
  }
  void show(std::vector<ports::ShownPod> pods) {
    shown_.store(std::make_shared<const ports::ShownPods>(ports::ShownPods::of(std::move(pods))));
    interceptor_.follow();
  }
  static ports::ShownPod on(const std::string& name, const std::string& node) {
    return {name, "default", name, node, false, 1};
  }
  std::optional<proxy::Answer> patch(const std::string& pod, const std::string& reason,
                                     const std::string& message) {
    const proxy::Request request{"PATCH", "/api/v1/namespaces/default/pods/" + pod + "/status", {}};
    EXPECT_TRUE(interceptor_.reads_body(request));
    return interceptor_.answer(
        request, R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":")" +
                     reason + R"(","message":")" + message + R"("}]}})");
  }

  podview::PodWindow* const window_;
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  Calls calls_;
  Events events_;
  Texts ended_;
  Texts complaints_;
  PodInterceptor interceptor_{parts()};

 private:
  PodInterceptor::Parts parts() {
    PodInterceptor::Parts parts{{"berth"},
                                shown_,
                                calls_,
                                events_,
                                [this](const std::string& uid) { ended_.push_back(uid); },
                                [this](const std::string& text) { complaints_.push_back(text); }};
    parts.window = window_;
    return parts;
  }
};

}  // namespace berth::apiview
