#pragma once

#include "berth/engine/session.h"

namespace berth::engine {

// What is kept for a target now, on which terms, and what is missing still.
Reservation describe_reservation(Session& session, JobId target);

}  // namespace berth::engine
