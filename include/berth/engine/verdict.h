#pragma once

#include <cstdint>
#include <string_view>

#include "berth/model/reason.h"

namespace berth::engine {

// A pass or a refusal with reason and numbers. A refusal is a scheduler's normal business, and
// neither an exception nor a log line. `what` and `detail` live as long as the session: they are
// names of the cluster, or texts of Session::keep().
struct [[nodiscard]] Verdict {
  Reason reason = Reason::none;
  bool for_good = false;  // no eviction would help (FailedAndUnresolvable on the wire)
  std::int64_t have = 0;
  std::int64_t need = 0;
  std::string_view what;
  std::string_view detail;  // the cause, for people

  explicit operator bool() const { return reason == Reason::none; }
};

inline Verdict pass() { return {}; }

inline Verdict reject(Reason reason, std::int64_t have = 0, std::int64_t need = 0,
                      std::string_view what = {}) {
  return {reason, false, have, need, what, {}};
}

inline Verdict reject_for_good(Reason reason, std::string_view what = {}) {
  return {reason, true, 0, 0, what, {}};
}

// One plugin's vote (fold.h, TierVote).
struct [[nodiscard]] Vote {
  enum class Kind : std::uint8_t { abstain, permit, reject };
  Kind kind = Kind::abstain;
  Verdict why;  // the cause of a reject
};

inline Vote abstain() { return {}; }
inline Vote permit() { return {Vote::Kind::permit, {}}; }
inline Vote veto(Verdict why) { return {Vote::Kind::reject, why}; }

}  // namespace berth::engine
