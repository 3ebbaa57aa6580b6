#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "document/value.h"
#include "kubeapi/kept_keys.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

// One kind of objects to be followed. The callbacks run on the reflector's thread, one at a time.
struct ReflectedKind {
  std::string name;      // "pods": for messages and metrics
  std::string path;      // "/api/v1/pods"
  std::string query;     // "fieldSelector=..." or empty, percent-encoded
  bool required = true;  // false: counts as synced while its API is not served, or is forbidden
  bool by_uid = false;   // objects are known by uid; otherwise by "namespace/name" or "name"
  const KeptKeys* keeps = nullptr;  // null: everything is kept; must live for ever

  // Created or changed. An Error: cannot be decoded; the object is reported and skipped.
  std::function<Status(const document::Value& object)> changed;
  // Deleted; told by what it is known by. Only for objects that `changed` accepted.
  std::function<void(const std::string& id)> gone;
};

struct ReflectorOptions {
  int page_size = 500;
  Duration retry_least = std::chrono::milliseconds(200);  // back-off after failures, with jitter
  Duration retry_most = std::chrono::seconds(30);
  Duration absent_retry = std::chrono::seconds(30);  // how often to look for an API not served
  Duration idle_timeout = std::chrono::seconds(90);  // bookmarks come about every minute
  Duration watch_length = std::chrono::minutes(5);   // asked of the server; up to twice that
  Duration report_again = std::chrono::minutes(10);  // an object's complaint, at most this often
  bool streaming_list = true;                        // where the server offers it
  std::uint64_t seed = 0;                            // of the jitter; 0: any
  // What went wrong, for the log; on the reflector's thread. `what` is "pods", or "pods ns/name".
  std::function<void(const std::string& what, const Error& error)> complain;
};

// Since start(); all but the last two only grow.
struct ReflectorCounters {
  std::uint64_t lists = 0;            // complete ones, streamed ones included
  std::uint64_t watches = 0;          // started
  std::uint64_t events = 0;           // objects changed or gone that were handed on
  std::uint64_t decode_failures = 0;  // objects skipped
  std::uint64_t failures = 0;         // requests and watches that went wrong
  std::uint64_t objects = 0;          // known now
  bool is_synced = false;
};

// Follows a kind for as long as it lives: lists, watches, resumes, and lists again when it must, so
// that what was handed on is, in the end, what the server holds. Nothing is handed on twice as new,
// and nothing that went away is kept, however the server behaves. docs/design/api-client.md.
class Reflector {
 public:
  // `client` must outlive the reflector.
  Reflector(RestClient& client, ReflectedKind kind, ReflectorOptions options);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  // Returns when no callback runs any more. Idempotent.
  void stop();

  // Listed at least once; or optional, and not served. Any thread.
  bool is_synced() const;
  ReflectorCounters counters() const;
  const std::string& name() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
