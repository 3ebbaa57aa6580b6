#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/model/cause.h"

namespace berth::engine {

// May it be? A refusal carries its reason and numbers; it is the normal business of a scheduler and
// neither an exception nor a log line. `what` and `detail` are
// texts that live as long as the session: names of the cluster, or what Session::keep() keeps.
struct [[nodiscard]] Verdict : CauseOf<std::string_view> {
  explicit operator bool() const { return reason == Reason::none; }
};

inline Verdict pass() { return {}; }

inline Verdict reject(Reason reason, std::int64_t have = 0, std::int64_t need = 0,
                      std::string_view what = {}) {
  return {{reason, have, need, what, {}}};
}

// One that outlives the session.
inline Cause cause_of(const Verdict& verdict) {
  return {verdict.reason, verdict.have, verdict.need, std::string(verdict.what),
          std::string(verdict.detail)};
}

// One plugin's say in a vote (fold.h, TierVote).
struct [[nodiscard]] Vote {
  enum class Kind : std::uint8_t { abstain, permit, reject };
  Kind kind = Kind::abstain;
  Verdict why;  // of a reject
};

inline Vote abstain() { return {}; }
inline Vote permit() { return {Vote::Kind::permit, {}}; }
inline Vote veto(Verdict why) { return {Vote::Kind::reject, why}; }

}  // namespace berth::engine
