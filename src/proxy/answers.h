#pragma once

#include <string>
#include <string_view>

#include "proxy/exchange.h"

namespace berth::proxy {

// A refusal as Kubernetes words it: a Status object as JSON.
Answer status_answer(int code, std::string_view message);

}  // namespace berth::proxy
