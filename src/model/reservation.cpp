#include "berth/model/reservation.h"

namespace berth {

void keep_users_word(TargetMarks& marks, const TargetMarks& written) {
  marks.is_named = written.is_named;
  marks.is_declined = written.is_declined;
  if (marks.is_named || marks.is_declined) marks.is_elected = false;
}

const char* to_string(LockScheme scheme) {
  switch (scheme) {
    case LockScheme::cluster:
      return "cluster";
    case LockScheme::multi_node:
      return "multi-node";
    case LockScheme::single_node:
      return "single-node";
    case LockScheme::closest_fit:
      return "closest-fit";
  }
  return "?";
}

const char* to_string(EndedReservation::How how) {
  switch (how) {
    case EndedReservation::How::started:
      return "started";
    case EndedReservation::How::given_up:
      return "given-up";
    case EndedReservation::How::impossible:
      return "impossible";
    case EndedReservation::How::displaced:
      return "displaced";
    case EndedReservation::How::too_many:
      return "too-many";
    case EndedReservation::How::off:
      return "off";
    case EndedReservation::How::deleted:
      return "deleted";
    case EndedReservation::How::withdrawn:
      return "withdrawn";
  }
  return "?";
}

}  // namespace berth
