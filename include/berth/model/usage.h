#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/resources.h"

namespace berth {

inline constexpr Duration kUsageHalfLife = std::chrono::hours(168);

// The use of the cluster by a queue, or by a namespace in it: the integral of its dominant share.
// Half of it is forgotten in each half-life.
struct UsageAccount {
  std::string queue;
  std::string name_space;  // empty: the whole queue
  double used = 0;         // shares of the cluster times seconds, at `since`
  double share = 0;        // of the cluster, since then
  TimePoint since;
  Resources allocated;
  std::int32_t jobs = 0;  // there are, running or not
};

// The accounts of all queues and of their users (docs/design/fairshare.md). An account is brought
// up to date when its share changes, and read at any time.
class UsageTable {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = static_cast<Slot>(-1);

  Duration half_life() const { return half_life_; }
  Slot find(std::string_view queue, std::string_view name_space = {}) const;
  // The account of a job's namespace in its queue.
  Slot user_of(JobId job) const {
    return job.index() < jobs_.size() ? jobs_[job.index()].user : kNone;
  }
  // By queue and namespace; no namespace: the whole queue.
  using Names = std::map<std::string, std::map<std::string, Slot, std::less<>>, std::less<>>;
  const Names& names() const { return slots_; }
  // Some are free: those without the name of a queue.
  std::size_t slots() const { return accounts_.size(); }
  const UsageAccount& account(Slot slot) const { return accounts_[slot]; }
  double used(Slot slot, TimePoint now) const;  // kNone: 0

  // --- for the mirror -------------------------------------------------------------------------

  void set_half_life(Duration half_life) { half_life_ = half_life; }
  // From the next pass() on, the job has this in the queue. An empty queue: it is in none.
  void count(JobId job, std::string_view queue, std::string_view name_space,
             const Resources& allocated);
  void forget(JobId job);
  // The shares were as they are until now; from now on they are of `total`.
  void pass(const Resources& total, TimePoint now);
  // USAGE-5. Another counted this much, as it was worth at that time: it has used no less.
  void raise(std::string_view queue, std::string_view name_space, double used, TimePoint at,
             TimePoint now);

 private:
  struct OfJob {
    Slot queue = kNone;
    Slot user = kNone;
    Resources allocated;
  };

  Slot slot_of(std::string_view queue, std::string_view name_space);
  void change(Slot slot, const Resources& allocated, int sign);
  void leave(OfJob& job);
  void bring_up_to_date(UsageAccount& account, TimePoint now) const;
  double share_of(const Resources& allocated) const;
  void drop_the_forgotten(TimePoint now);

  Duration half_life_ = kUsageHalfLife;
  std::vector<UsageAccount> accounts_;
  std::vector<Slot> free_;
  Names slots_;
  std::vector<OfJob> jobs_;
  std::vector<Slot> changed_;
  Resources total_;
  TimePoint drops_at_;
};

}  // namespace berth
