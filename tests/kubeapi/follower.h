#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubeapi/fake_api.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/known_objects.h"
#include "kubeapi/reflector.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi::testing {

inline constexpr const char* kThings = "/apis/test/v1/things";

// A fake API server, a reflector of its objects, and a record of the objects handed on.
class Follower {
 public:
  using Seen = std::map<std::string, std::string>;  // version by uid

  Follower() {
    api.serve(kThings);
    server = make_server(0);
    options.retry_least = std::chrono::milliseconds(1);
    options.retry_most = std::chrono::milliseconds(20);
    options.absent_retry = std::chrono::milliseconds(5);
    options.streaming_list = false;
    options.complain = [this](const std::string& what, const Error& error) {
      complaints.change([&](auto& all) { all.push_back(what + ": " + error.message); });
    };
    kind.name = "things";
    kind.path = kThings;
    kind.by_uid = true;
    kind.keeps = &keys_of_others();
    kind.changed = [this](const document::Value& object, auto&) { return change(object); };
    kind.gone = [this](const std::string& id) {
      seen.change([&](Seen& all) { EXPECT_EQ(all.erase(id), 1U) << id << " was not known"; });
    };
  }
  ~Follower() {
    reflector.reset();
    if (client) client->stop();
  }

  void start() {
    Access access;
    access.server = server->url();
    RestOptions limits;
    limits.qps = 0;
    client = std::move(*RestClient::create(access, limits));
    reflector = std::make_unique<Reflector>(*client, kind, options);
    reflector->start();
  }

  void stop_server() {
    port_ = server->port();
    server.reset();
  }
  void start_server() { server = make_server(port_); }

  // The objects handed on are those that the server holds.
  bool agrees() {
    return seen.wait([&](const Seen& all) { return all == api.objects(kThings); });
  }

  std::size_t calls_with(const std::string& text) const {
    std::size_t count = 0;
    for (const Call& call : server->calls()) count += call.target.find(text) != std::string::npos;
    return count;
  }

  FakeApi api;
  std::unique_ptr<FakeServer> server;
  ReflectedKind kind;
  ReflectorOptions options;
  std::unique_ptr<RestClient> client;
  std::unique_ptr<Reflector> reflector;
  Awaited<Seen> seen;
  Awaited<std::vector<std::string>> complaints;

 private:
  std::unique_ptr<FakeServer> make_server(unsigned short port) {
    return std::make_unique<FakeServer>(
        [this](const Call& call, Reply& reply) { api.handle(call, reply); }, Certificate{}, port);
  }

  Status change(const document::Value& object) {
    if (object.find("bad") != nullptr) return Error{"it is bad", ""};
    seen.change([&](Seen& all) {
      all[metadata_text(object, "uid")] = metadata_text(object, "resourceVersion");
    });
    return Done{};
  }

  unsigned short port_ = 0;
};

}  // namespace berth::kubeapi::testing
