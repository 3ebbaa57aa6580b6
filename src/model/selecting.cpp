#include "berth/model/selecting.h"

#include <array>

namespace berth {

std::string_view to_string(SelectingKind kind) {
  constexpr std::array<std::string_view, kSelectingKinds> kNames{"Service", "ReplicationController",
                                                                 "ReplicaSet", "StatefulSet"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace berth
