#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "protobuf/fields.h"

namespace berth::protobuf {

// Numbers of the fields around an object, of Kubernetes' types.
namespace number {
inline constexpr std::uint32_t kUnknownType = 1, kUnknownRaw = 2, kTypeKind = 2;
inline constexpr std::uint32_t kEventType = 1, kEventObject = 2, kExtensionRaw = 1;
inline constexpr std::uint32_t kListMetadata = 1, kListItems = 2;
inline constexpr std::uint32_t kListVersion = 2, kListContinue = 3;
inline constexpr std::uint32_t kKey = 1, kValue = 2;
}  // namespace number

inline constexpr std::string_view kMagic{"k8s\0", 4};

struct Envelope {
  std::string_view kind;
  std::string_view raw;
  std::string_view raw_field;  // with its tag and length
};

// One frame of a watch, without its header.
struct EventParts {
  std::string_view type;    // "ADDED"
  std::string_view object;  // with its envelope
};

// The metadata of a list.
struct ListHead {
  std::string_view version;
  std::string_view continuation;  // empty: no page follows
};

// Reads one frame or body. Every member returns false after the first fault, and keeps that fault.
class Reader {
 public:
  explicit Reader(std::string_view whole) : whole_(whole) {}

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

  bool event(std::string_view message, EventParts& event);
  bool list_head(std::string_view message, ListHead& head);
  bool envelope(std::string_view bytes, Envelope& envelope);
  // An entry of a map.
  bool entry(std::string_view message, std::string_view& key, std::string_view& value);

 private:
  std::string_view whole_;
  std::optional<Error> fault_;
};

}  // namespace berth::protobuf
