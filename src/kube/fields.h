#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/objects.h"
#include "berth/model/quantity.h"
#include "document/cursor.h"

// Fields that several kinds of objects share. All complain through the cursor's Reading.

namespace berth::kube {

struct Metadata {
  std::string name_space;  // empty for kinds that live in none
  std::string name;
  std::string uid;
  TimePoint created;
};

enum class Scope : std::uint8_t { cluster, namespaced };

// Name and namespace are checked; a missing namespace is "default", a missing uid is made from
// kind, namespace and name, a missing creation time is the epoch.
Metadata read_metadata(const document::Cursor& object, std::string_view kind, Scope scope);

// The annotation or, without one, the label of that name; empty when there is neither.
std::string annotation_or_label(const document::Cursor& object, std::string_view key);

// Volcano's annotation, in its two spellings; absent: none. One that is no duration is ignored, as
// Volcano does: a job must not be lost for it.
std::optional<Duration> read_waiting_limit(const document::Cursor& object);

// Annotations of a target, past or present (berth/model/reservation.h). A time that is none is
// ignored, for the same reason; so is one from before the object was `created`: the manifest is a
// copy of another's.
TargetMarks read_marks(const document::Cursor& object, TimePoint created);

// The time in an annotation; absent, or no time: none.
std::optional<TimePoint> read_time_annotation(const document::Cursor& object, std::string_view key);

// Who controls the object: of its owners, the one with `controller: true`. Empty: nobody.
struct Controller {
  std::string kind;
  std::string uid;
};
Controller read_controller(const document::Cursor& object);

std::map<std::string, std::string> read_strings(const document::Cursor& map);

// A list of strings.
std::vector<std::string> read_texts(const document::Cursor& list);

// A ResourceList, without keys of quotas. `most` bounds each amount.
NamedAmounts read_amounts(const document::Cursor& map, std::int64_t most = kAmountMax);

inline constexpr std::int64_t kLimitMax = std::numeric_limits<std::int64_t>::max();

}  // namespace berth::kube
