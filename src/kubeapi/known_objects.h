#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "kubeapi/reflector.h"

namespace berth::kubeapi {

// What a reflector has handed on: so that it can say what is gone after a new list. One thread,
// but for counters().
class KnownObjects {
 public:
  KnownObjects(const ReflectedKind& kind, const ReflectorOptions& options)
      : kind_(kind), options_(options) {}

  void change(const document::Value& object);
  void remove(const document::Value& object);
  // Between these, change() marks what is still there; what is not marked then goes.
  void begin_list() { ++generation_; }
  void end_list();

  // To the log, about the whole kind; each message once, then again after a while.
  void complain(const Error& error);

  // Of the counters, those about objects. Any thread.
  ReflectorCounters counters() const;

 private:
  std::string id_of(const document::Value& object) const;
  void complain(const std::string& key, const std::string& what, const Error& error);
  void count(std::uint64_t ReflectorCounters::*counter);

  const ReflectedKind& kind_;
  const ReflectorOptions& options_;
  const SteadyClock clock_;
  std::unordered_map<std::string, std::uint32_t> generations_;  // by what objects are known by
  std::uint32_t generation_ = 0;
  std::map<std::string, TimePoint> complained_;  // when last, by object or by message
  mutable std::mutex mutex_;                     // guards counters_
  ReflectorCounters counters_;
};

// "namespace/name", or "name"; empty without a name.
std::string full_name_of(const document::Value& object);
// metadata.<key> as text; empty when there is none.
std::string metadata_text(const document::Value& object, std::string_view key);

}  // namespace berth::kubeapi
