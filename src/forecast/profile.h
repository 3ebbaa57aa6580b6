#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "forecast/state.h"

namespace berth::forecast {

// The room of all nodes at one instant, and later by the limits of the pods that are there.
class Profile {
 public:
  using IsCancelled = std::function<bool()>;

  explicit Profile(const State& state, IsCancelled is_cancelled = {});

  TimePoint now() const { return now_; }

  // --- ends -------------------------------------------------------------------------------
  // When the next pod is expected to end, on the planner's grid; max: none does.
  TimePoint next_end() const;
  // Time is this one; pods that have ended by then give back their room. Nothing is kept any more.
  void pass_to(TimePoint now);

  // --- starts -----------------------------------------------------------------------------
  // The job starts, if its nodes have the room and what is kept for others stays free.
  bool start(std::uint32_t job);
  // Its queue, or one above, may not have so much more.
  bool is_beyond_queue(const WaitingJob& job) const;

  // --- room that is kept ------------------------------------------------------------------
  // More nodes for a target, idle ones first, until they could hold it once others have ended; or
  // all that its pods may use.
  void choose_nodes(std::uint32_t job, bool takes_all);
  // When it can start at the latest by the limits of those that run; max: nobody knows, or it was
  // cancelled. A target
  // that has nodes starts on these.
  TimePoint earliest(std::uint32_t job);
  // From that time on nodes are kept for it, which earliest() has found.
  void keep(std::uint32_t job, TimePoint from);
  // Nobody else starts on its nodes.
  void close(std::uint32_t job);
  std::size_t keeps() const { return keeps_.size(); }
  // At the least; 0: all together are not enough.
  std::size_t nodes_needed(const WaitingJob& job) const;

 private:
  struct End {
    TimePoint at;
    std::uint32_t piece = 0;
    bool operator>(const End& other) const {
      return at != other.at ? at > other.at : piece > other.piece;
    }
  };
  struct Piece {
    TimePoint gone_by, expected;
    std::uint32_t node = 0, kind = 0, queue = 0;
    bool is_over = false;
  };
  struct Pod {
    std::uint32_t node = 0, kind = 0;
  };
  struct Keep {
    std::uint32_t job = 0;
    TimePoint from, until;
    std::vector<Pod> pods;           // where they would be
    std::vector<std::int64_t> free;  // by node and dimension: what others may have from then on
  };
  // Pods of a kind that nodes take now.
  struct Slots {
    std::vector<std::int32_t> at;  // by node
    std::int64_t sum = 0;
    std::size_t seen = 0;  // of changed_
  };
  // Of jobs that nobody keeps nodes for.
  struct Lack {
    std::uint32_t kind = 0;
    std::size_t keeps = 0;
    std::int64_t most = 0;
  };
  using Room = std::vector<std::int64_t>;

  void add(const Piece& piece);
  TimePoint on_grid(TimePoint at) const;
  void change(Room& room, Pod pod, std::int64_t by) const;
  void change_idle(Pod pod, std::int64_t by);
  void charge(std::uint32_t queue, std::uint32_t kind, std::int64_t by);
  std::int64_t slots_in(const Room& room, Pod pod) const;
  const Slots& slots(std::uint32_t kind);
  void forget_slots();
  void mark_usable(std::uint32_t job);
  std::size_t keeps_before(TimePoint until) const;
  bool may_have_room(std::uint32_t job, const WaitingJob::Part& part, TimePoint until);
  bool find_room(std::uint32_t job, const WaitingJob::Part& part, TimePoint until);
  void place(Pod pod, TimePoint until, std::int64_t by);
  std::int64_t slots_until(Pod pod, TimePoint until) const;
  void put_in_order();
  bool lay_out(const WaitingJob& job, Room& room);
  bool lay_out(const WaitingJob::Part& part, Room& room);
  bool pass_keeps(TimePoint before, TimePoint to, Room& room) const;
  TimePoint next_of_keeps(TimePoint after) const;
  bool fits_from(const WaitingJob& job, TimePoint from);
  std::int64_t count(const WaitingJob::Part& part, const Room& room) const;

  const State& state_;
  const IsCancelled is_cancelled_;
  const std::size_t dimensions_;
  TimePoint now_;
  bool is_exact_ = false;
  Room idle_, capacity_;
  std::vector<std::uint32_t> kept_for_;
  std::vector<std::uint8_t> has_nodes_;  // by job: some are kept for it
  std::vector<QueueRoom> queues_;
  std::vector<Piece> pieces_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;  // by expectation
  std::vector<std::uint32_t> by_limit_;  // pieces that end by a limit, in that order
  std::vector<std::uint32_t> to_order_;  // such pieces that are new
  std::vector<Slots> slots_;             // by kind
  std::vector<std::uint32_t> changed_;   // nodes, one for each change of their room
  std::vector<Keep> keeps_;
  std::vector<std::uint8_t> is_closed_;  // by node
  std::vector<std::uint8_t> usable_;     // by node, of the job that is asked about
  std::vector<Pod> laid_;
  std::vector<Lack> lacks_;  // of this instant
  Room room_then_;           // as earliest() has found it
};

}  // namespace berth::forecast
