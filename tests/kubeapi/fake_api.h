#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kubeapi/fake_server.h"

namespace berth::kubeapi::testing {

// What an API server keeps, lists and lets watch: objects by path and name, with versions that
// grow. Faults are put in front of it by intercept(). Outlives the servers that call handle(), so a
// server can die and return.
class FakeApi {
 public:
  using Intercept = std::function<bool(const Call&, Reply&)>;  // true: it has answered

  void serve(const std::string& path);
  void stop_serving(const std::string& path);
  // `rest` is added to the object: `,"spec":{...}`, and `metadata` to its metadata. The namespace
  // is "ns".
  void put(const std::string& path, const std::string& name, const std::string& rest = {},
           const std::string& metadata = {});
  void erase(const std::string& path, const std::string& name);
  void bookmark(const std::string& path);
  // False: nobody watched it within 20 s.
  bool wait_for_watch(const std::string& path);
  // To those who watch now, and to nobody else. Waits, at most 20 s, until somebody does.
  void say(const std::string& path, const std::string& line);
  // Watches from before now, and continued lists, are answered with 410; open ones go on.
  void compact();
  void offer_streaming_lists() { set(&FakeApi::streams_, true); }
  // From now on versions begin at this one again, as after a restored backup.
  void set_version(std::int64_t version);
  void intercept(Intercept by);

  // Names of all that is there, with the version of each.
  std::map<std::string, std::string> objects(const std::string& path) const;
  void handle(const Call& call, Reply& reply);

 private:
  struct Object {
    std::string uid;
    std::string version;
    std::string rest;
    std::string metadata;
  };
  struct Change {
    std::int64_t version;
    std::string line;
  };
  struct Collection {
    std::map<std::string, Object> objects;
    std::vector<Change> changes;
    int watchers = 0;
  };

  void set(bool FakeApi::*flag, bool value);
  static std::string text_of(const std::string& name, const Object& object);
  void note(Collection& in, const char* type, const std::string& object);
  void list(const Call& call, Reply& reply);
  void watch(const Call& call, Reply& reply);
  // The lines that a watch begins with, and what it has seen then; false: it was answered.
  bool begin_watch(const Call& call, Reply& reply, std::size_t& seen);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Collection> collections_;
  std::int64_t version_ = 100;
  std::int64_t compacted_ = 0;
  std::int64_t uids_ = 0;
  bool streams_ = false;
  Intercept intercept_;
};

// {"type":"ERROR",...} with that code.
std::string error_line(int code);

}  // namespace berth::kubeapi::testing
