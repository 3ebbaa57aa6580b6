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

// The store of an API server with lists and watches: objects by path and name, with growing
// versions. intercept() adds faults. It outlives the servers that call handle(), so a server can
// stop and return.
class FakeApi {
 public:
  using Intercept = std::function<bool(const Call&, Reply&)>;  // true: it has answered

  void serve(const std::string& path);
  void stop_serving(const std::string& path);
  // Adds `rest` to the object, such as `,"spec":{...}`, and `metadata` to its metadata. The
  // namespace is "ns".
  void put(const std::string& path, const std::string& name, const std::string& rest = {},
           const std::string& metadata = {});
  void erase(const std::string& path, const std::string& name);
  void bookmark(const std::string& path);
  // False if no watch came within 20 s.
  bool wait_for_watch(const std::string& path);
  // Sends a line to the open watches. Waits for one, at most 20 s.
  void say(const std::string& path, const std::string& line);
  // Answers earlier watches and continued lists with 410. Open watches go on.
  void compact();
  void offer_streaming_lists() { set(&FakeApi::streams_, true); }
  // Versions start again from this one, as after a restored backup.
  void set_version(std::int64_t version);
  void intercept(Intercept by);

  // The names of all objects, with their versions.
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
  // Writes the first lines of a watch and sets `seen`. False if the call was answered.
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
