#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/model/cause.h"

namespace berth::engine {

// A pass or a refusal with reason and numbers. A refusal is a scheduler's normal business, and
// neither an exception nor a log line. `what` and `detail` live as long as the session: they are
// names of the cluster, or texts of Session::keep().
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

// Its texts are those of the cause.
inline Verdict as_verdict(const Cause& cause) {
  return {{cause.reason, cause.have, cause.need, cause.what, cause.detail}};
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
