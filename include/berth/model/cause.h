#pragma once

#include <cstdint>
#include <string>

#include "berth/model/reason.h"

namespace berth {

// Why something is refused or ends, with the numbers of the reason's sentence.
template <class Text>
struct CauseOf {
  Reason reason = Reason::none;
  std::int64_t have = 0;
  std::int64_t need = 0;
  Text what = {};
  Text detail = {};  // why that is so, for people; empty: nothing to add
  bool operator==(const CauseOf&) const = default;
};
using Cause = CauseOf<std::string>;

// The reason's sentence, without the detail.
inline std::string sentence(const Cause& cause) {
  return sentence(cause.reason, cause.have, cause.need, cause.what);
}

}  // namespace berth
