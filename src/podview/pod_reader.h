#pragma once

#include <string_view>

#include "berth/base/result.h"
#include "podview/codec.h"
#include "protobuf/reader.h"

namespace berth::podview {

// Numbers of the fields that are read, of Kubernetes' types.
namespace number {
using namespace protobuf::number;
inline constexpr std::uint32_t kPodMetadata = 1, kPodSpec = 2, kPodStatus = 3, kPhase = 1;
inline constexpr std::uint32_t kName = 1, kNamespace = 3, kUid = 5, kVersion = 6;
inline constexpr std::uint32_t kDeletionTime = 9, kAnnotations = 12, kManagedFields = 17;
inline constexpr std::uint32_t kNode = 10, kAffinity = 18, kScheduler = 19, kGates = 38;
inline constexpr std::uint32_t kStatusReason = 4, kStatusCode = 6;
}  // namespace number

using protobuf::Envelope;
using protobuf::Field;
using protobuf::Fields;
using protobuf::kMagic;

// As its base, for what the view needs of a pod.
class PodReader : public protobuf::Reader {
 public:
  using Reader::Reader;

  bool pod(std::string_view message, SeenPod& pod);
  bool is_end_of_initial_events(std::string_view pod, bool& is_end);
  bool status(std::string_view message, bool& is_expired);

 private:
  bool metadata(std::string_view message, SeenPod& pod);
  bool spec(std::string_view message, SeenPod& pod);
  bool phase(std::string_view message, SeenPod& pod);
  bool annotation(std::string_view message, bool& is_end);
};

}  // namespace berth::podview
