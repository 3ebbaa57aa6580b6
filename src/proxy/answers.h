#pragma once

#include <string_view>

#include "proxy/exchange.h"

namespace berth::proxy {

// A refusal as Kubernetes words it: a Status object as JSON.
Answer status_answer(int code, std::string_view message);

// Upstream cannot be reached. Go's client watches again after a 429, from where it was; after any
// other error it lists everything anew.
Answer unreachable_answer(bool is_watch, std::string_view why);

// There is no token to ask upstream with. Go's client tries again after a second.
Answer no_token_answer(bool is_watch);

// The answer as the whole reply.
void send(Answer answer, Reply& reply);

}  // namespace berth::proxy
