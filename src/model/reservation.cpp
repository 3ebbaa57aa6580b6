#include "berth/model/reservation.h"

#include "berth/base/enum_text.h"

namespace berth {

void keep_users_word(TargetMarks& marks, const TargetMarks& written) {
  marks.is_named = written.is_named;
  marks.is_declined = written.is_declined;
  if (marks.is_named || marks.is_declined) marks.is_elected = false;
}

const char* to_string(LockScheme scheme) {
  return enum_text<LockScheme::closest_fit>(scheme, "?", "cluster", "multi-node", "single-node",
                                            "closest-fit");
}

const char* to_string(EndedReservation::How how) {
  return enum_text<EndedReservation::How::too_many>(how, "?", "started", "given-up", "impossible",
                                                    "displaced", "off", "deleted", "withdrawn",
                                                    "too-many");
}

}  // namespace berth
