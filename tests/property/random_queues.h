#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "support/named_plan.h"
#include "support/world.h"

namespace berth::support {

// A random cluster with up to 200 queues in up to 3 levels, some of them set up wrongly, more
// guaranteed than there is every now and then, with jobs that run and jobs that wait. The same seed
// gives the same one; another `order` has its objects come in another order.
class RandomQueues {
 public:
  explicit RandomQueues(std::uint64_t seed, std::uint64_t order = 0);

  const Cluster& cluster() const { return mirror_.cluster(); }
  // The deserved amount, guarantee and real capability of each queue, by names.
  std::string named_shares(bool lends) const;

 private:
  bool chance(std::size_t percent) { return below(random_, 100) < percent; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  QueueObject queue(std::size_t number);
  NamedAmounts amounts(std::int64_t most, std::size_t percent);
  PodObject pod(std::size_t number, std::size_t queues);

  Random random_;
  mirror::Mirror mirror_;
};

}  // namespace berth::support
