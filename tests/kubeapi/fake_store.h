#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubeapi/fake_server.h"

namespace berth::kubeapi::testing {

// The store of an API server with lists and watches: objects by path and name, with growing
// versions. One thread.
class FakeStore {
 public:
  void serve(const std::string& path) { collections_[path]; }
  void stop_serving(const std::string& path) { collections_.erase(path); }
  bool is_served(const std::string& path) const { return collections_.contains(path); }
  // Adds `rest` to the object, such as `,"spec":{...}`, and `metadata` to its metadata. The
  // namespace is "ns".
  void put(const std::string& path, const std::string& name, const std::string& rest = {},
           const std::string& metadata = {});
  void erase(const std::string& path, const std::string& name);
  void bookmark(const std::string& path);
  // Answers earlier watches and continued lists with 410. Open watches go on.
  void compact() { compacted_ = ++version_; }
  void offer_streaming_lists() { streams_ = true; }
  // Versions start again from this one, as after a restored backup.
  void set_version(std::int64_t version);

  // The uids of all objects, with their versions.
  std::map<std::string, std::string> objects(const std::string& path) const;

  struct Answer {
    int status = 200;
    std::string body = {};
  };
  Answer list(const Call& call);
  // With status 200, `lines` are the first ones, and `seen` is for lines_after().
  Answer begin_watch(const Call& call, std::vector<std::string>& lines, std::size_t& seen) const;
  std::vector<std::string> lines_after(const std::string& path, std::size_t& seen) const;

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
  using Objects = std::map<std::string, Object>;
  struct Collection {
    Objects objects;
    std::vector<Change> changes;
    std::map<std::string, Objects> listed;  // in pages, by version
  };

  static std::string text_of(const std::string& name, const Object& object);
  void note(Collection& in, const char* type, const std::string& object);

  std::map<std::string, Collection> collections_;
  std::int64_t version_ = 100;
  std::int64_t compacted_ = 0;
  std::int64_t uids_ = 0;
  bool streams_ = false;
};

// {"type":"ERROR",...} with that code.
std::string error_line(int code);

}  // namespace berth::kubeapi::testing
