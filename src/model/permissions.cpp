#include "berth/model/permissions.h"

namespace berth {

const char* to_string(Verb verb) {
  switch (verb) {
    case Verb::reserve:
      return "reserve";
    case Verb::name:
      return "name";
    case Verb::protect:
      break;
  }
  return "protect";
}

const char* resource_of(Verb verb) { return verb == Verb::name ? "priorityclasses" : "queues"; }

const char* api_group_of(Verb verb) {
  return verb == Verb::name ? "scheduling.k8s.io" : "scheduling.volcano.sh";
}

}  // namespace berth
