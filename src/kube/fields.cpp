#include "kube/fields.h"

#include <algorithm>
#include <array>

#include "berth/base/dns_name.h"
#include "berth/base/number.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "berth/model/bounds.h"
#include "berth/model/claim.h"
#include "berth/model/quota_key.h"

namespace berth::kube {

namespace {

// Creation times have no fractions, and clocks differ a little.
constexpr Duration kClocksDiffer = std::chrono::seconds(2);
constexpr std::int64_t kSecondsMost = std::numeric_limits<std::int32_t>::max();  // as Kubernetes
constexpr std::size_t kResourceNameMax = 317;  // a DNS name, a slash and a name of 63

bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_resource_name(std::string_view name) {
  return !name.empty() && name.size() <= kResourceNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
                  c == '_' || c == '/';
         });
}

void require_dns_name(const document::Cursor& at, const std::string& name) {
  if (name.empty() || is_dns_name(name)) return;
  at.complain("\"" + shortened(name, 80) +
              "\" is no valid name, expected at most 253 lower-case letters, digits, '-' or '.', "
              "with a letter or digit at both ends");
}

Duration read_seconds(const document::Cursor& at, std::int64_t fallback) {
  using Any = std::numeric_limits<std::int64_t>;  // the API server takes any grace
  const std::int64_t given = at.integer(fallback, Any::min(), Any::max());
  return std::chrono::seconds(std::clamp(given, std::int64_t{0}, kSecondsMost));
}

}  // namespace

std::optional<TimePoint> read_time_since_1970(const document::Cursor& at) {
  if (!at.is_present()) return std::nullopt;
  return std::max(at.time(), TimePoint());
}

WrittenStart read_start(const document::Cursor& waiting) {
  return {read_time_since_1970(waiting["startsBy"]), read_time_since_1970(waiting["likelyFrom"]),
          read_time_since_1970(waiting["likelyTo"])};
}

Metadata read_metadata(const document::Cursor& object, std::string_view kind, Scope scope) {
  const document::Cursor from = object["metadata"];
  Metadata metadata;
  metadata.name = from.required_text("name");
  require_dns_name(from["name"], metadata.name);
  if (scope == Scope::namespaced) {
    metadata.name_space = from["namespace"].text();
    require_dns_name(from["namespace"], metadata.name_space);
    if (metadata.name_space.empty()) metadata.name_space = "default";
  }
  metadata.created = from["creationTimestamp"].time();
  metadata.uid = from["uid"].text();
  if (metadata.uid.empty()) {
    metadata.uid = std::string(kind) + ":";
    if (scope == Scope::namespaced) metadata.uid += metadata.name_space + "/";
    metadata.uid += metadata.name;
  }
  return metadata;
}

bool is_refused(const document::Reading& reading, std::optional<Error>* complaint) {
  if (complaint == nullptr) return reading.failed();
  *complaint = reading.failed() ? std::optional(reading.error()) : reading.warning();
  return false;
}

std::optional<Duration> read_hint(const document::Cursor& at) {
  if (!at.is_present()) return std::nullopt;
  const Result<Duration> duration = parse_duration(at.text());
  if (!duration) at.warn(duration.error().message);
  return duration ? std::optional(*duration) : std::nullopt;
}

EvictionTerms read_eviction_terms(const document::Cursor& object) {
  constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "false", "FALSE", "False"};
  const document::Cursor metadata = object["metadata"];
  const auto value_of = [&](std::string_view key) {
    const document::Cursor annotation = metadata["annotations"][key];
    return annotation.is_present() ? annotation : metadata["labels"][key];
  };
  EvictionTerms terms;
  terms.cooldown = read_hint(value_of("volcano.sh/cooldown-time"));
  const document::Cursor preemptable = value_of("volcano.sh/preemptable");
  if (!preemptable.is_present()) return terms;
  const std::string text = preemptable.text();
  const auto is_one_of = [&](const auto& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  if (is_one_of(kTrue) || is_one_of(kFalse)) {
    terms.preemptable = is_one_of(kTrue);
  } else {
    preemptable.warn("\"" + text + "\" is neither \"true\" nor \"false\"");
  }
  return terms;
}

std::string read_name(const document::Cursor& at) {
  std::string name = at.text();
  if (name.size() > bounds::kNameLength) {
    name.resize(first_bytes(name, bounds::kNameLength).size());
    name.shrink_to_fit();
  }
  return name;
}

std::string annotation_or_label(const document::Cursor& object, std::string_view key) {
  const document::Cursor metadata = object["metadata"];
  std::string text = read_name(metadata["annotations"][key]);
  return text.empty() ? read_name(metadata["labels"][key]) : text;
}

std::optional<Duration> read_waiting_limit(const document::Cursor& object) {
  const document::Cursor annotations = object["metadata"]["annotations"];
  for (const char* key : {"volcano.sh/sla-waiting-time", "sla-waiting-time"}) {
    const std::string text = annotations[key].text();
    if (const auto limit = parse_duration(text); !text.empty() && limit) return *limit;
  }
  return std::nullopt;
}

std::optional<Duration> read_stated_limit(const document::Cursor& object) {
  const document::Cursor ours = object["metadata"]["annotations"]["berth.dev/time-limit"];
  if (ours.is_present()) {
    if (const auto limit = read_hint(ours); limit && *limit > Duration()) return limit;
    ours.warn("\"" + ours.text() + "\" is not a time above 0, such as 2h30m");
  }
  const document::Cursor of_kueue =
      object["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"];
  const auto seconds = parse_number<std::int64_t>(of_kueue.text());
  if (!seconds || *seconds < 1 || *seconds > kSecondsMost) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

TimeTerms read_time_terms(const document::Cursor& pod) {
  constexpr std::int64_t kGraceOfKubernetes = 30;
  const document::Cursor spec = pod["spec"];
  const document::Cursor deadline = spec["activeDeadlineSeconds"];
  TimeTerms terms;
  terms.stated = read_stated_limit(pod);
  if (deadline.is_present()) terms.deadline = read_seconds(deadline, kSecondsMost);
  terms.grace = read_seconds(spec["terminationGracePeriodSeconds"], kGraceOfKubernetes);
  terms.grace_ends = read_time_since_1970(pod["metadata"]["deletionTimestamp"]);
  return terms;
}

std::optional<JobDeadline> read_job_deadline(const document::Cursor& job) {
  document::Cursor spec = job["spec"];
  if (spec["runPolicy"].is_present()) spec = spec["runPolicy"];
  const document::Cursor deadline = spec["activeDeadlineSeconds"];
  if (!deadline.is_present()) return std::nullopt;
  return JobDeadline{read_seconds(deadline, kSecondsMost),
                     read_time_since_1970(job["status"]["startTime"])};
}

std::optional<TimePoint> read_time_annotation(const document::Cursor& object,
                                              std::string_view key) {
  const std::string text = object["metadata"]["annotations"][key].text();
  const Result<TimePoint> time = parse_time(text);
  return time ? std::optional(*time) : std::nullopt;
}

TargetMarks read_marks(const document::Cursor& object, TimePoint created) {
  const document::Cursor annotations = object["metadata"]["annotations"];
  const std::string word = annotations[kTargetAnnotation].text();
  const auto time_of = [&](const char* key) {
    const std::optional<TimePoint> time = read_time_annotation(object, key);
    return time && *time < created - kClocksDiffer ? std::nullopt : time;
  };
  TargetMarks marks;
  marks.is_named = word == "true";
  marks.is_declined = word == "false";
  marks.is_elected = word == "elected";
  marks.first_seen = time_of(kFirstSeenAnnotation);
  marks.elected_at = time_of(kTargetSinceAnnotation);
  if (marks.elected_at) marks.why = read_name(annotations[kTargetWhyAnnotation]);
  marks.given_up_at = time_of(kGivenUpAnnotation);
  marks.claims = annotations[kClaimsAnnotation].text();
  if (parse_claims(marks.claims).since < created - kClocksDiffer) marks.claims.clear();
  return marks;
}

OwnerReference read_controller(const document::Cursor& object) {
  for (const document::Cursor& owner : object["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].boolean(false)) continue;
    return {owner["apiVersion"].text(), owner["kind"].text(), owner["name"].text(),
            owner["uid"].text()};
  }
  return {};
}

GangWish read_gang_wish(const document::Cursor& object) {
  const document::Cursor annotations = object["metadata"]["annotations"];
  for (const char* key : {kGangAnnotation, "scheduling.volcano.sh/group-min-member"}) {
    if (annotations[key].is_present()) return {key, read_name(annotations[key])};
  }
  return {};
}

QueueWish read_queue_wish(const document::Cursor& object) {
  QueueWish wish;
  for (const char* key : {"scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}) {
    if (wish.queue.empty()) wish.queue = annotation_or_label(object, key);
  }
  wish.local_queue = object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"].text();
  return wish;
}

Labels read_labels(const document::Cursor& object) {
  const auto entries = object["metadata"]["labels"].entries();
  Labels labels;
  labels.reserve(entries.size());
  for (const auto& [key, value] : entries) labels.emplace_back(key, value.text());
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::map<std::string, std::string> read_strings(const document::Cursor& map) {
  std::map<std::string, std::string> strings;
  for (const auto& [key, value] : map.entries()) strings.emplace(key, value.text());
  return strings;
}

std::vector<std::string> read_texts(const document::Cursor& list) {
  std::vector<std::string> texts;
  for (const document::Cursor& item : list.items()) texts.push_back(item.text());
  return texts;
}

std::optional<TaintEffect> read_taint_effect(const document::Cursor& at) {
  static const std::array<std::string, 3> kEffects{"NoExecute", "NoSchedule", "PreferNoSchedule"};
  const std::string text = at.text();
  if (text == kEffects[0]) return TaintEffect::no_execute;
  if (text == kEffects[1]) return TaintEffect::no_schedule;
  if (text == kEffects[2]) return TaintEffect::prefer_no_schedule;
  at.complain("\"" + text + "\" is no effect of a taint" + suggestion(text, kEffects));
  return std::nullopt;
}

NamedAmounts read_amounts(const document::Cursor& map, std::int64_t most) {
  NamedAmounts amounts;
  for (const auto& [name, value] : map.entries()) {
    if (is_quota_key(name)) continue;
    if (!is_resource_name(name)) {
      value.complain("\"" + std::string(first_bytes(name, 80)) +
                     "\" is no resource name, expected one such as \"cpu\" or \"example.com/gpu\"");
      continue;
    }
    const std::string text = value.scalar("0");
    const Result<std::int64_t> amount = parse_quantity_up_to(text, scale_of(name), most);
    if (!amount) {
      value.complain(amount.error().message);
      continue;
    }
    amounts.emplace(name, *amount);
    if (*amount < most) continue;
    const Result<std::int64_t> exact = parse_quantity(text, scale_of(name), most);
    if (!exact) value.warn(exact.error().message);
  }
  return amounts;
}

}  // namespace berth::kube
