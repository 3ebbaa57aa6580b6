#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace berth::actions {

// The fewest pods that have to leave for members, found by trying sets in the order of their size,
// in a problem of a few nodes. Rule VICTIM-14 of docs/design/victims.md.
//
// A set is left out if its nodes could not take the members of one shape even if the largest
// of the pods left that may still be added. The work is bounded.
class FewestVictims {
 public:
  using Amounts = std::vector<std::int64_t>;  // by resource
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  struct Members {
    Amounts request;
    std::int32_t count = 0;
  };
  // One that runs. It leaves alone, as surplus or as all that its job has, or with its whole job.
  struct Pod {
    std::uint32_t node = 0;  // kNone: none that is looked at
    Amounts request;
    std::uint32_t job = 0;
    std::uint32_t role = kNone;   // of the job, where minimums of roles count
    std::uint32_t alone = kNone;  // number of a lot
    std::uint32_t whole = kNone;
    std::uint32_t like = 0;  // equal for pods that count alike for their queues
  };
  struct Job {
    std::int32_t surplus = 0;  // pods that may leave alone, at most; all, if it has but one
    std::vector<std::int32_t> of_role = {};
  };
  struct Lot {
    std::uint32_t number = 0;
    std::uint32_t grade = 0;
    std::int64_t work = 0;
  };
  struct Cost {
    std::int32_t pods = 0;
    std::uint32_t grade = 0;
    std::int64_t work = 0;
    std::uint32_t last_lot = 0;
    auto operator<=>(const Cost&) const = default;
  };
  struct Problem {
    std::vector<Amounts> rooms;  // by node: what is idle
    std::vector<Members> members;
    std::vector<Pod> pods;
    std::vector<Job> jobs;
    std::vector<Lot> lots;
  };
  // The work that a search may still do.
  struct Bounds {
    std::int64_t steps = 50'000;  // also of nodes that are looked at
    std::int64_t cells = std::numeric_limits<std::int64_t>::max();  // of tables; 40 take 1 us
    std::int64_t refused = 16;                                      // sets
    bool are_left() const { return steps > 0 && cells > 0 && refused > 0; }
  };
  // Of lots, by Lot::number. True: they may leave, and do.
  using Accept = std::function<bool(const std::vector<std::uint32_t>&)>;

  FewestVictims(Problem problem, Cost least, Bounds& bounds)
      : problem_(std::move(problem)), least_(least), bounds_(bounds) {}

  // Offers sets that cost less than `least`, and less than the last that was accepted.
  void search(const Accept& accept);

 private:
  // Of a pod, in the set that is being made.
  enum class State : std::uint8_t { open, stays, leaves };

  void prepare();
  void try_blocks(std::size_t block, std::int32_t left);
  void try_pods(std::size_t next, std::int32_t left);
  bool may_leave_alone(const Pod& pod) const;
  void set(std::uint32_t pod, State state);
  bool could_do(std::int32_t left) const;
  void count_suffixes(std::int32_t left);
  std::vector<std::int32_t> most_on(std::size_t node, const Members& members,
                                    std::int32_t left) const;
  void judge();
  bool has_room() const;
  bool pack(std::size_t shape, std::int32_t count, std::size_t node,
            std::vector<Amounts>& rooms) const;
  bool costs_too_much() const;
  bool is_over() const { return !bounds_.are_left(); }
  void count_tables(std::size_t size) const;

  Problem problem_;
  Cost least_;
  const Accept* accept_ = nullptr;
  std::vector<std::uint32_t> blocks_;                 // lots of several pods
  std::vector<std::vector<std::uint32_t>> of_block_;  // pods
  std::vector<std::uint32_t> alone_;                  // pods that may leave alone, by node
  std::vector<std::vector<std::uint32_t>> on_node_;   // pods
  std::vector<State> state_;                          // by pod
  std::vector<Amounts> rooms_;                        // with what leaves
  std::vector<std::vector<std::vector<std::int32_t>>> suffix_;  // by shape, node and pods
  std::vector<std::uint32_t> chosen_;                           // lots
  Cost cost_;
  std::int32_t level_ = 0;
  Bounds& bounds_;
};

}  // namespace berth::actions
