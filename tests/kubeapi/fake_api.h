#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "kubeapi/fake_server.h"
#include "kubeapi/fake_store.h"

namespace berth::kubeapi::testing {

// Serves a store. intercept() adds faults. It outlives the servers that call handle(), so a server
// can stop and return. Any thread.
class FakeApi {
 public:
  using Intercept = std::function<bool(const Call&, Reply&)>;  // true: it has answered

  void serve(const std::string& path) {
    change([&](FakeStore& store) { store.serve(path); });
  }
  // As FakeStore::put().
  void put(const std::string& path, const std::string& name, const std::string& rest = {},
           const std::string& metadata = {}) {
    change([&](FakeStore& store) { store.put(path, name, rest, metadata); });
  }
  void erase(const std::string& path, const std::string& name) {
    change([&](FakeStore& store) { store.erase(path, name); });
  }
  // False if no watch came within 20 s.
  bool wait_for_watch(const std::string& path);
  void intercept(Intercept by);

  // The uids of all objects, with their versions.
  std::map<std::string, std::string> objects(const std::string& path) const;
  void handle(const Call& call, Reply& reply);

 private:
  void change(const std::function<void(FakeStore&)>& by);
  void watch(const Call& call, Reply& reply);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FakeStore store_;
  std::map<std::string, int> watchers_;  // by path
  Intercept intercept_;
};

}  // namespace berth::kubeapi::testing
