#pragma once

#include "berth/engine/session.h"
#include "berth/model/time_limit.h"

// Backfill by time limits: jobs behind others that wait, and on nodes that are kept for targets.
// Rules BEHIND-1 to BEHIND-9 of docs/design/backfill.md.

namespace berth::actions {

enum class BackfillPolicy {
  off,
  easy,          // behind the first that waits, of each queue that is first-in-first-out
  conservative,  // behind all of them
};

void serve_behind(engine::Session& session, BackfillPolicy policy, LimitTrust trust);

}  // namespace berth::actions
