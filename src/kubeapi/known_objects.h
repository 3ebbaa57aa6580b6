#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "kubeapi/reflected_kind.h"

namespace berth::kubeapi {

// The objects that a reflector has handed on. After a new list, it finds the deleted ones. One
// thread.
class KnownObjects {
 public:
  // All must outlive this.
  KnownObjects(const Clock& clock, const ReflectedKind& kind, const ReflectorOptions& options,
               ReflectorCounters& counters)
      : clock_(clock), kind_(kind), options_(options), counters_(counters) {}

  void change(const document::Value& object);
  void remove(const document::Value& object);
  // Between begin_list() and end_list(), change() marks the objects that exist. end_list() removes
  // the others.
  void begin_list() { ++generation_; }
  void end_list();

  // Logs an error about the whole kind: each message once, and again after a while.
  void complain(const Error& error);

 private:
  std::string id_of(const document::Value& object) const;
  // No error of this key was logged lately.
  bool is_due(const std::string& key);
  void complain_of_object(const std::string& key, const std::string& what, const Error& error);

  const Clock& clock_;
  const ReflectedKind& kind_;
  const ReflectorOptions& options_;
  ReflectorCounters& counters_;
  std::unordered_map<std::string, std::uint32_t> generations_;  // by the key of the object
  std::uint32_t generation_ = 0;
  std::map<std::string, TimePoint> complained_;  // the last time, by object or by message
  TimePoint lines_since_;
  std::size_t lines_ = 0;  // about objects since then, logged or not
};

// "namespace/name", or "name"; empty without a name.
std::string full_name_of(const document::Value& object);

}  // namespace berth::kubeapi
