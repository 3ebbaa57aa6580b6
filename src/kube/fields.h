#pragma once

#include <algorithm>
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

// Fields that several kinds of objects share. All complaints go to the cursor's Reading.

namespace berth::kube {

struct Metadata {
  std::string name_space;  // empty for cluster-scoped kinds
  std::string name;
  std::string uid;
  TimePoint created;
};

enum class Scope : std::uint8_t { cluster, namespaced };

// Reads the metadata and checks name and namespace. The default namespace is "default", the default
// creation time the epoch. A missing uid is made from kind, namespace and name.
Metadata read_metadata(const document::Cursor& object, std::string_view kind, Scope scope);

// After the metadata is read: is the whole object refused? With `complaint` (codecs.h) it is not;
// then a fault or a warning goes there.
bool is_refused(const document::Reading& reading, std::optional<Error>* complaint);

// The duration in a field that is only a hint; none, with a warning, if it is no duration.
std::optional<Duration> read_hint(const document::Cursor& at);

// Volcano's annotations, or labels, on evictions. A value that cannot be read is left out, with a
// warning.
EvictionTerms read_eviction_terms(const document::Cursor& object);

// The name of an object that users write: more than any name has is left out (BOUND-1).
std::string read_name(const document::Cursor& at);

// The annotation of that name, or the label; empty if there is neither. As read_name().
std::string annotation_or_label(const document::Cursor& object, std::string_view key);

// Volcano's annotation, in its two spellings; none if absent. A value that is no duration is
// ignored, as in Volcano, so that the job is not lost.
std::optional<Duration> read_waiting_limit(const document::Cursor& object);
// TIME-1. One that cannot be read counts as absent, with a warning.
std::optional<Duration> read_stated_limit(const document::Cursor& object);
// None: it is not there. No sum of it and a duration is too large.
std::optional<TimePoint> read_time_since_1970(const document::Cursor& at);
// START-1. Of status.waiting of a PodGroup.
WrittenStart read_start(const document::Cursor& waiting);
TimeTerms read_time_terms(const document::Cursor& pod);
// TIME-7. Of a Job or a Kubeflow job; none: it has none.
std::optional<JobDeadline> read_job_deadline(const document::Cursor& job);

// Annotations of a target, past or present (berth/model/reservation.h). A bad time is ignored. So
// is a time before `created`: the manifest is then a copy of another object's.
TargetMarks read_marks(const document::Cursor& object, TimePoint created);

// The time in an annotation; none if it is absent or no time.
std::optional<TimePoint> read_time_annotation(const document::Cursor& object, std::string_view key);

// The controller of the object: its owner with `controller: true`.
OwnerReference read_controller(const document::Cursor& object);

// The object's annotation on gangs: ours, else Volcano's.
GangWish read_gang_wish(const document::Cursor& object);

// The queues that the object names by annotations or labels.
QueueWish read_queue_wish(const document::Cursor& object);

Labels read_labels(const document::Cursor& object);

std::map<std::string, std::string> read_strings(const document::Cursor& map);

// A list of strings.
std::vector<std::string> read_texts(const document::Cursor& list);

// A ResourceList without keys of quotas. More than `most` is a warning, and counts as `most`.
NamedAmounts read_amounts(const document::Cursor& map, std::int64_t most = kAmountMax);

inline constexpr std::int64_t kLimitMax = std::numeric_limits<std::int64_t>::max();

// Counts of Kubernetes have 32 bits.
inline constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();

// None, with a complaint, if it is no effect.
std::optional<TaintEffect> read_taint_effect(const document::Cursor& at);

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace berth::kube
