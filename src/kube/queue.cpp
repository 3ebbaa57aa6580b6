#include <algorithm>
#include <charconv>
#include <limits>

#include "berth/model/quota_key.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"

namespace berth::kube {

namespace {

QueueState state_of(std::string_view text) {
  if (text.empty() || text == "Open") return QueueState::open;
  return text == "Closing" ? QueueState::closing : QueueState::closed;
}

constexpr std::size_t kDecimalsMost = 9;

// Reads a decimal from 0 to 1, in billionths. All digits count: with 10,000 GPUs, the fourth digit
// is a GPU.
std::int32_t read_part(const document::Cursor& from) {
  const std::string text = from.scalar("0");
  const auto accuse = [&](const std::string& why) {
    from.complain("\"" + text + "\" " + why);
    return 0;
  };
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  auto decimals = static_cast<std::int64_t>(digits.size() - point);
  if (decimals > 0) digits.erase(point, 1), --decimals;
  int exponent = 0;
  const char* const end = text.data() + text.size();
  bool is_decimal = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  if (mark < text.size()) {
    const auto [rest, fault] = std::from_chars(text.data() + mark + 1, end, exponent);
    is_decimal =
        is_decimal && fault == std::errc() && rest == end && exponent >= -99 && exponent <= 99;
  }
  if (!is_decimal) return accuse("is no decimal from 0 to 1");
  decimals -= exponent;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') digits.pop_back(), --decimals;
  if (digits.empty()) return 0;
  constexpr std::int64_t kWhole = 1'000'000'000;
  if (decimals < 0 || digits.size() > static_cast<std::size_t>(decimals) + 1) {
    return accuse("is no decimal from 0 to 1");
  }
  if (decimals > static_cast<std::int64_t>(kDecimalsMost)) {
    return accuse("has " + std::to_string(decimals) + " decimals, expected at most " +
                  std::to_string(kDecimalsMost));
  }
  std::int64_t part = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), part);
  for (auto i = static_cast<std::size_t>(decimals); i < kDecimalsMost; ++i) part *= 10;
  return part <= kWhole ? static_cast<std::int32_t>(part) : accuse("is no decimal from 0 to 1");
}

// S1, S3.
void read_guarantee(const document::Cursor& guarantee, QueueObject& queue) {
  queue.guarantee = read_amounts(guarantee["resource"], kLimitMax);
  const std::string policy = guarantee["policy"].text();
  const bool is_known = policy == "Best-Effort" || policy == "BestEffort" || policy == "Guaranteed";
  if (!policy.empty() && !is_known) {
    guarantee["policy"].complain("\"" + policy +
                                 "\" is no policy, expected Best-Effort or Guaranteed");
  }
  queue.names_policy = !policy.empty();
  queue.guarantees_hard = policy == "Guaranteed";
  const document::Cursor percentage = guarantee["percentage"];
  queue.guarantee_share_of = read_texts(percentage["dimensions"]);
  std::erase_if(queue.guarantee_share_of, is_quota_key);
  queue.guarantee_share_billionths = read_part(percentage["value"]);
}

void read_strategy(const document::Cursor& strategy, QueueObject& queue) {
  const std::string word = strategy.text();
  if (!word.empty() && word != "fifo" && word != "traverse") {
    strategy.complain("\"" + word + "\" is no strategy, expected fifo or traverse");
  }
  queue.is_fifo = word == "fifo";
}

// Fields of Volcano's that have no effect here.
std::vector<std::string> not_honoured_in(const document::Cursor& spec) {
  std::vector<std::string> fields;
  for (const char* name : {"affinity", "extendClusters", "type"}) {
    const document::Value* value = spec[name].value();
    const bool is_empty = !spec[name].is_present() ||
                          (value->text.empty() && value->items.empty() && value->members.empty());
    if (!is_empty) fields.push_back("spec." + std::string(name));
  }
  return fields;
}

// MAY-1. Volcano's own definition of queues drops the field, so there is an annotation, too.
void read_namespaces(const document::Cursor& root, QueueObject& queue) {
  const document::Cursor field = root["spec"]["namespaceSelector"];
  queue.namespaces.requirements = read_label_selector(field);
  for (const Expression& each : queue.namespaces.requirements) {
    if (each.op != Operator::greater && each.op != Operator::less) continue;
    field.complain(
        "a selector of labels has no Gt and Lt, expected In, NotIn, Exists or "
        "DoesNotExist");
  }
  const document::Cursor annotation = root["metadata"]["annotations"][kNamespacesAnnotation];
  auto parsed = parse_label_selector(annotation.text());
  if (!parsed) return annotation.complain(parsed.error().message);
  for (Expression& each : *parsed) queue.namespaces.requirements.push_back(std::move(each));
}

void read_spec(const document::Cursor& root, QueueObject& queue) {
  const document::Cursor spec = root["spec"];
  queue.weight = static_cast<std::int32_t>(spec["weight"].integer(1, 1, 65535));
  queue.priority = static_cast<std::int32_t>(
      spec["priority"].integer(0, 0, std::numeric_limits<std::int32_t>::max()));
  queue.reclaimable = spec["reclaimable"].boolean(true);
  queue.parent = spec["parent"].text();
  queue.state = state_of(root["status"]["state"].text());
  queue.capability = read_amounts(spec["capability"], kLimitMax);
  read_guarantee(spec["guarantee"], queue);
  queue.deserved = read_amounts(spec["deserved"], kLimitMax);
  read_strategy(spec["dequeueStrategy"], queue);
  read_namespaces(root, queue);
  queue.not_honoured = not_honoured_in(spec);
}

constexpr Duration kTimeMost = std::chrono::hours(8760);

// RUNTIME-2, TIME-3. One that cannot be read, or that is too long, has no effect, and its name goes
// into `not_honoured`. So has a limit of 0.
void read_times(const document::Cursor& root, QueueObject& queue) {
  const auto read = [&](const char* name, bool is_limit, std::optional<Duration>& time) {
    const document::Cursor annotation = root["metadata"]["annotations"][name];
    time = read_hint(annotation);
    const bool is_none = time && is_limit && *time == Duration();
    if (is_none || (time && *time > kTimeMost)) {
      annotation.warn("\"" + annotation.text() + "\" is " +
                      (is_none ? "not a time above 0, such as 2h30m" : "more than 8760h"));
      time.reset();
    }
    if (annotation.is_present() && !time) queue.not_honoured.emplace_back(name);
  };
  read("berth.dev/preempt-min-run-time", false, queue.preempt_min_run_time);
  read("berth.dev/reclaim-min-run-time", false, queue.reclaim_min_run_time);
  read("berth.dev/default-time-limit", true, queue.default_time_limit);
  read("berth.dev/max-time-limit", true, queue.max_time_limit);
}

WrittenCondition condition_of(const document::Cursor& condition) {
  return {condition["status"].text() == "True", condition["reason"].text(),
          condition["message"].text(), condition["lastTransitionTime"].time()};
}

WrittenQueueStatus read_queue_status(const document::Cursor& status) {
  const auto count = [&](const char* name) {
    return static_cast<std::int32_t>(status[name].integer(0, 0, kCountMax));
  };
  const auto amounts = [&](const char* name) { return read_amounts(status[name], kLimitMax); };
  WrittenQueueStatus written;
  written.has_state = status["state"].is_present();
  written.pending = count("pending");
  written.inqueue = count("inqueue");
  written.running = count("running");
  written.unknown = count("unknown");
  written.completed = count("completed");
  written.allocated = amounts("allocated");
  written.deserved = amounts("deserved");
  written.guarantee = amounts("guarantee");
  written.real_capability = amounts("realCapability");
  for (const document::Cursor& condition : status["conditions"].items()) {
    const std::string type = condition["type"].text();
    if (type == "Ready") written.ready = condition_of(condition);
    if (type == "GuaranteeScaled") written.scaled = condition_of(condition);
    if (type == "Honoured") written.honoured = condition_of(condition);
    if (type == "NodesReserved") written.reserved = condition_of(condition);
  }
  const document::Cursor reservation = status["reservation"];
  written.reserved_nodes = read_texts(reservation["nodes"]);
  written.reserved_idle = read_amounts(reservation["resource"], kLimitMax);
  return written;
}

}  // namespace

Result<QueueObject> decode_queue(const document::Value& value, std::string_view file) {
  Result<QueueObject> queue = decode_queue_with_fault(value, file);
  if (!queue) return queue;
  document::Reading reading(value, file);
  QueueObject again;
  read_spec(reading.root(), again);
  read_times(reading.root(), again);
  if (reading.failed()) return reading.error();
  return queue;
}

Result<QueueObject> decode_queue_with_fault(const document::Value& value, std::string_view file,
                                            Complaint* complaint) {
  document::Reading reading(value, file);
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "Queue", Scope::cluster);
  QueueObject queue;
  queue.name = std::move(metadata.name);
  queue.uid = std::move(metadata.uid);
  queue.created = metadata.created;
  queue.scheduler = root["metadata"]["annotations"][kSchedulerAnnotation].text();
  if (reading.failed()) return reading.error();
  read_spec(root, queue);
  if (reading.failed()) queue.fault = reading.error().message;
  document::Reading hints(value, file, document::Strictness::lenient);
  read_times(hints.root(), queue);
  if (complaint != nullptr) *complaint = hints.warning();
  // An unreadable status is no fault of the queue: we write it anew.
  document::Reading status(value, file);
  queue.written = read_queue_status(status.root()["status"]);
  if (status.failed()) queue.written = {};
  return queue;
}

}  // namespace berth::kube
