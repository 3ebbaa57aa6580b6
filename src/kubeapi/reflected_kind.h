#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/counter.h"
#include "berth/base/result.h"
#include "document/value.h"
#include "kubeapi/kept_keys.h"
#include "kubeapi/request.h"
#include "ports/watch_tap.h"

namespace berth::kubeapi {

// A kind of objects to follow. The reflector calls the functions, one at a time.
struct ReflectedKind {
  std::string name;      // "pods": for messages and metrics
  std::string path;      // "/api/v1/pods"
  std::string query;     // "fieldSelector=..." or empty, percent-encoded
  bool required = true;  // false: counts as synced if its API is not served or is forbidden
  bool by_uid = false;   // objects are identified by uid; otherwise by "namespace/name" or "name"
  // Of kinds that src/protobuf/objects.proto knows; `keeps` is for JSON.
  Format format = Format::json;
  std::string type = {};            // of an object: "Pod"; for protobuf
  const KeptKeys* keeps = nullptr;  // null: everything is kept; must outlive all reflectors

  // Created or changed. An Error means that the object cannot be decoded; it is reported and
  // skipped. With a complaint, it was handed on, but for a part that cannot be read.
  using Complaint = std::optional<Error>;
  std::function<Status(const document::Value& object, Complaint& complaint)> changed;
  // After each complete list, before is_synced(). May be empty.
  std::function<void()> listed;
  // Deleted, with the key of the object. Called only for objects that `changed` accepted.
  std::function<void(const std::string& id)> gone;
  // Gets what comes after a list, as it comes. May be null.
  ports::WatchTap* tap = nullptr;
};

struct ReflectorOptions {
  int page_size = 500;
  Duration retry_least = std::chrono::milliseconds(200);  // back-off after failures, with jitter
  Duration retry_most = std::chrono::seconds(30);
  // How often to look for an API that is not served.
  Duration absent_retry = std::chrono::seconds(30);
  Duration idle_timeout = std::chrono::seconds(90);
  // Requested of the server; up to twice that. Twice `watch_length` is less than `idle_timeout`.
  Duration watch_length = std::chrono::seconds(30);
  Duration list_length = std::chrono::minutes(5);  // of a watch that brings a list
  // The least time between two complaints about an object.
  Duration report_again = std::chrono::minutes(10);
  // Lines about objects are counted for this long, and those beyond some thirty are left out.
  Duration count_lines = std::chrono::minutes(1);
  bool streaming_list = true;  // where the server offers it
  std::uint64_t seed = 0;      // of the jitter; 0: any
  // Logs a failure. `what` is "pods", or "pods ns/name".
  std::function<void(const std::string& what, const Error& error)> complain;
};

// Counts since start(). All but the last only grow.
struct ReflectorCounters {
  Counter lists;            // complete ones, streamed ones included
  Counter watches;          // started
  Counter events;           // changed or deleted objects that were handed on
  Counter decode_failures;  // objects skipped, or without a part
  Counter failures;         // failed requests and watches
  Counter objects;          // known now
};

}  // namespace berth::kubeapi
