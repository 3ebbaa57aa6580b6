#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/result.h"
#include "podview/codec.h"
#include "podview/fields.h"

namespace berth::podview {

// Numbers of the fields that are read, of Kubernetes' types.
namespace number {
inline constexpr std::uint32_t kUnknownType = 1, kUnknownRaw = 2, kTypeKind = 2;
inline constexpr std::uint32_t kEventType = 1, kEventObject = 2, kExtensionRaw = 1;
inline constexpr std::uint32_t kListMetadata = 1, kListItems = 2;
inline constexpr std::uint32_t kListVersion = 2, kListContinue = 3;
inline constexpr std::uint32_t kPodMetadata = 1, kPodSpec = 2;
inline constexpr std::uint32_t kName = 1, kNamespace = 3, kUid = 5, kVersion = 6;
inline constexpr std::uint32_t kDeletionTime = 9, kAnnotations = 12, kManagedFields = 17;
inline constexpr std::uint32_t kKey = 1, kValue = 2;
inline constexpr std::uint32_t kNode = 10, kAffinity = 18, kScheduler = 19, kGates = 38;
inline constexpr std::uint32_t kStatusReason = 4, kStatusCode = 6;
}  // namespace number

inline constexpr std::string_view kMagic{"k8s\0", 4};

struct Envelope {
  std::string_view kind;
  std::string_view raw;
  std::string_view raw_field;  // with its tag and length
};

// Reads one frame or body. Every member returns false after the first fault, and keeps that fault.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view whole) : whole_(whole) {}

  Error fault() const { return fault_.value_or(Error{"malformed protobuf", ""}); }
  bool fail(std::string message, const char* at);

  // Calls on_field(field), which returns false on failure.
  template <class OnField>
  bool each(std::string_view message, const char* what, OnField&& on_field) {
    Fields fields(message);
    Field field;
    while (fields.next(field)) {
      if (!on_field(field)) return false;
    }
    return !fields.is_malformed() ||
           fail(std::string("malformed protobuf, expected ") + what, fields.place());
  }

  bool envelope(std::string_view bytes, Envelope& envelope);
  bool pod(std::string_view message, SeenPod& pod);
  bool is_end_of_initial_events(std::string_view pod, bool& is_end);
  bool status(std::string_view message, bool& is_expired);

 private:
  bool metadata(std::string_view message, SeenPod& pod);
  bool spec(std::string_view message, SeenPod& pod);
  bool annotation(std::string_view message, bool& is_end);

  std::string_view whole_;
  std::optional<Error> fault_;
};

}  // namespace berth::podview
