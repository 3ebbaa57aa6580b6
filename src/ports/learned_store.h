#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "berth/base/result.h"

namespace berth::ports {

// Keeps what berthd has learned of the cluster from one run to the next: a text for each key
// (docs/design/learned.md). Any thread.
class LearnedStore {
 public:
  using Texts = std::map<std::string, std::string>;
  struct Fault {
    std::string why;        // empty: none
    bool may_pass = false;  // the same may succeed later
  };
  using Read = std::function<void(Texts texts, const Fault& fault)>;
  using Written = std::function<void(const Fault& fault)>;

  virtual ~LearnedStore() = default;
  // Both return at once; what they are given is called exactly once, from any thread. Nothing kept
  // yet is no fault.
  virtual void read(Read done) = 0;
  // Texts of other keys stay. By the leader of this epoch only.
  virtual void write(const Texts& texts, std::uint64_t epoch, Written done) = 0;
};

}  // namespace berth::ports
