#include "kube/topology_wish.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "berth/base/label_syntax.h"
#include "berth/base/number.h"
#include "berth/base/printable.h"
#include "document/readers.h"
#include "kube/fields.h"
#include "kube/label_selector.h"

namespace berth::kube {

using document::Cursor;

namespace {

constexpr std::size_t kSubGroupsMax = 64;
constexpr const char* kKueue = "kueue.x-k8s.io/podset-";
constexpr const char* kKai = "kai.scheduler/";

std::string kueue(const char* key) { return std::string(kKueue) + key; }
std::string kai(const char* key) { return std::string(kKai) + key; }

// Controllers put these on the pods of one template.
std::string set_of(const Cursor& pod) {
  constexpr std::array<const char*, 5> kLabels{
      "kueue.x-k8s.io/podset", "jobset.sigs.k8s.io/replicatedjob-name",
      "training.kubeflow.org/replica-type", "ray.io/group", "volcano.sh/task-spec"};
  const Cursor labels = pod["metadata"]["labels"];
  for (const char* label : kLabels) {
    if (std::string set = read_name(labels[label]); !set.empty()) return set;
  }
  const std::string worker = labels["leaderworkerset.sigs.k8s.io/worker-index"].text();
  if (worker.empty()) return {};
  return worker == "0" ? "leader" : "workers";
}

// Reads the annotations of one object.
class WishReader {
 public:
  WishReader(const Cursor& object, bool is_pod) : object_(object), is_pod_(is_pod) {}

  TopologyWish read() {
    if (!has_any()) return {};
    read_ours();
    read_kai();
    if (is_pod_) {
      read_kai_segments();
      read_kueue();
    }
    tidy_up(wish_);
    return std::move(wish_);
  }

 private:
  // Most pods have none of them, and a pod is read at each of its changes.
  bool has_any() const {
    constexpr std::array<std::string_view, 3> kPrefixes{"berth.dev/topology-", kKueue, kKai};
    const auto entries = object_["metadata"]["annotations"].entries();
    return std::any_of(entries.begin(), entries.end(), [&](const Cursor::Entry& entry) {
      return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                         [&](std::string_view prefix) { return entry.first.starts_with(prefix); });
    });
  }

  Cursor at(const std::string& key) const { return object_["metadata"]["annotations"][key]; }
  bool has(const std::string& key) const { return at(key).is_present(); }

  void fault(const std::string& key, const std::string& why) {
    wish_.faults.push_back(key + " (" + why + ")");
  }

  // The level in an annotation. None, and a fault, if it cannot be one.
  LevelName level_at(const std::string& key) {
    if (!has(key)) return {};
    std::string name = at(key).scalar();
    if (is_label_key(name)) return {.name = std::move(name)};
    fault(key, name.empty() ? "it is empty, expected a level such as a label of nodes"
                            : "\"" + shortened(name, 80) + "\" is no label of nodes");
    return {};
  }

  // KAI names the topology beside the level.
  LevelName kai_level_at(const std::string& key) {
    LevelName name = level_at(key);
    name.topology = read_name(at(kai("topology")));
    return name;
  }

  // A number of pods from `least`. None, and a fault, if it is none.
  std::optional<std::int32_t> size_at(const std::string& key, std::int32_t least) {
    const std::string text = at(key).scalar();
    const std::optional<std::int32_t> size = parse_number<std::int32_t>(text);
    if (size && *size >= least) return size;
    fault(key, "\"" + shortened(text, 80) + "\" is no number of pods, expected one from " +
                   std::to_string(least));
    return std::nullopt;
  }

  void add(std::string written, PodsOfRule pods, LevelName required, LevelName preferred,
           std::int32_t part_size = 0) {
    if (required.is_none() && preferred.is_none()) return;
    wish_.rules.push_back({.written = std::move(written),
                           .pods = std::move(pods),
                           .required = std::move(required),
                           .preferred = std::move(preferred),
                           .part_size = part_size});
  }

  void read_ours() {
    const PodsOfRule pods{.say_so = is_pod_};
    add(kTopologyRequired, pods, level_at(kTopologyRequired), {});
    add(kTopologyPreferred, pods, {}, level_at(kTopologyPreferred));
  }

  void read_kai() {
    const PodsOfRule pods{.say_so = is_pod_, .set = is_pod_ ? set_of(object_) : ""};
    const std::string required = kai("topology-required-placement");
    const std::string preferred = kai("topology-preferred-placement");
    add(required, pods, kai_level_at(required), {});
    add(preferred, pods, {}, kai_level_at(preferred));
  }

  void read_kai_segments() {
    const std::string size_key = kai("segment-size");
    const std::string required = kai("segment-topology-required-placement");
    const std::string preferred = kai("segment-topology-preferred-placement");
    if (!has(required) && !has(preferred)) return;
    if (!has(size_key)) return fault(has(required) ? required : preferred, "without " + size_key);
    const std::optional<std::int32_t> size = size_at(size_key, 2);
    if (!size) return;
    const PodsOfRule pods{.say_so = true, .set = set_of(object_)};
    add(required, pods, kai_level_at(required), {}, *size);
    add(preferred, pods, {}, kai_level_at(preferred), *size);
  }

  // Kueue refuses these combinations when a job is created.
  void read_kueue() {
    const std::array<std::string, 3> keys{kueue("required-topology"), kueue("preferred-topology"),
                                          kueue("unconstrained-topology")};
    const auto first =
        std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return has(key); });
    for (auto other = first == keys.end() ? first : first + 1; other != keys.end(); ++other) {
      if (has(*other)) fault(*other, "together with " + *first + ", expected one of them");
    }
    PodsOfRule pods{.say_so = true, .set = set_of(object_)};
    if (has(kueue("group-name")))
      read_kueue_group(pods, first != keys.end() && first != keys.end() - 1);
    if (first == keys.begin()) add(*first, pods, level_at(*first), {});
    if (first == keys.begin() + 1) add(*first, pods, {}, level_at(*first));
    if (first == keys.begin() + 2) check_unconstrained(*first);
    if (has(kueue("slice-required-topology-constraints"))) {
      read_kueue_layers(pods);
    } else {
      read_kueue_slices(pods);
    }
  }

  void check_unconstrained(const std::string& key) {
    constexpr std::array<std::string_view, 12> kWords{"1", "t", "T", "true",  "TRUE",  "True",
                                                      "0", "f", "F", "false", "FALSE", "False"};
    const std::string text = at(key).text();
    if (std::find(kWords.begin(), kWords.end(), text) != kWords.end()) return;
    fault(key, "\"" + shortened(text, 80) + "\" is neither \"true\" nor \"false\"");
  }

  // Several sets that are to be in one domain.
  void read_kueue_group(PodsOfRule& pods, bool has_level) {
    const std::string key = kueue("group-name");
    const std::string name = read_name(at(key));
    for (const char* slices : {"slice-required-topology", "slice-size"}) {
      if (has(kueue(slices))) return fault(key, "together with " + kueue(slices));
    }
    if (!has_level) {
      return fault(key,
                   "without " + kueue("required-topology") + " or " + kueue("preferred-topology"));
    }
    if (name.empty() || parse_number<std::int32_t>(name)) {
      return fault(key, "\"" + name + "\" is no name of a group, expected one that is no number");
    }
    pods.set = name;
  }

  void read_kueue_slices(PodsOfRule pods) {
    const std::string level = kueue("slice-required-topology");
    const std::string size_key = kueue("slice-size");
    if (!has(level)) {
      if (has(size_key)) fault(size_key, "without " + level);
      return;
    }
    // A JobSet's slices are its Jobs.
    constexpr const char* kJobOfSet = "jobset.sigs.k8s.io/job-key";
    const bool is_of_set = object_["metadata"]["labels"][kJobOfSet].is_present();
    if (!has(size_key) && !is_of_set) return fault(level, "without " + size_key);
    std::int32_t size = 0;
    if (has(size_key)) {
      const std::optional<std::int32_t> given = size_at(size_key, 1);
      if (!given) return;
      size = *given;
    } else {
      pods.parted_by.emplace_back(kJobOfSet);
    }
    add(level, std::move(pods), level_at(level), {}, size);
  }

  // [{"topology": LABEL, "size": N}, ...], the widest first.
  void read_kueue_layers(const PodsOfRule& pods) {
    constexpr std::size_t kLayersMax = 3;
    const std::string key = kueue("slice-required-topology-constraints");
    for (const char* other : {"slice-required-topology", "slice-size", "group-name"}) {
      if (has(kueue(other))) return fault(key, "together with " + kueue(other));
    }
    const Result<document::Value> layers = document::parse_json(at(key).text(), key);
    if (!layers) return fault(key, shortened(layers.error().message, 200));
    document::Reading reading(*layers, key);
    const std::vector<Cursor> items = reading.root().items();
    std::vector<std::pair<std::string, std::int32_t>> found;
    for (const Cursor& item : items) {
      const std::string label = item["topology"].text();
      const std::int32_t size = parse_number<std::int32_t>(item["size"].scalar()).value_or(0);
      if (is_label_key(label) && size > 0) found.emplace_back(label, size);
    }
    if (reading.failed() || items.empty() || items.size() > kLayersMax ||
        found.size() < items.size()) {
      return fault(key,
                   "expected a list of one to three, each with a label `topology` and a "
                   "number `size`");
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& [label, size] = found[i];
      if (i > 0 && found[i - 1].second % size != 0) {
        fault(key, "the size " + std::to_string(found[i - 1].second) + " is no multiple of " +
                       std::to_string(size));
      }
      add(key, pods, {.name = label}, {}, size);
    }
  }

  const Cursor& object_;
  const bool is_pod_;
  TopologyWish wish_;
};

// --- Volcano's fields ---------------------------------------------------------------------------

// The levels of a `networkTopology`. Without a mode it is hard, as Volcano's definition has it;
// hard without a tier is as near as can be, as in Volcano's scheduler.
void read_network_topology(const Cursor& from, const std::string& path, NearRule& rule,
                           TopologyWish& wish) {
  const std::string mode = from["mode"].text("hard");
  if (mode != "hard" && mode != "soft") {
    wish.faults.push_back(path + ".mode (\"" + shortened(mode, 80) +
                          "\" is none, expected hard or soft)");
  }
  const Cursor tier = from["highestTierAllowed"];
  LevelName level;
  level.tier_name = read_name(from["highestTierName"]);
  if (tier.is_present() && !level.tier_name.empty()) {
    wish.faults.push_back(path +
                          ".highestTierName (together with highestTierAllowed, expected one "
                          "of them)");
    level.tier_name.clear();
  }
  if (tier.is_present()) level.tier = static_cast<std::int32_t>(tier.integer(0, 0, kCountMax));
  rule.is_as_near_as_can = level.is_none();
  (mode == "soft" ? rule.preferred : rule.required) = std::move(level);
}

std::string mode_of(const Cursor& topology) {
  return " (" + shortened(topology["mode"].text("hard"), 20) + ")";
}

void read_sub_groups(const std::vector<Cursor>& policies, TopologyWish& wish) {
  if (policies.size() > kSubGroupsMax) {
    wish.faults.push_back("spec.subGroupPolicy (" + std::to_string(policies.size()) +
                          " of them, expected at most " + std::to_string(kSubGroupsMax) + ")");
  }
  for (std::size_t i = 0; i < std::min(policies.size(), kSubGroupsMax); ++i) {
    const Cursor& policy = policies[i];
    NearRule rule{.written = "spec.subGroupPolicy"};
    rule.pods.set = read_name(policy["name"]);
    rule.pods.labels = read_label_selector(policy["labelSelector"]);
    rule.pods.parted_by = read_texts(policy["matchLabelKeys"]);
    rule.part_size = static_cast<std::int32_t>(policy["subGroupSize"].integer(0, 1, kCountMax));
    rule.min_parts = static_cast<std::int32_t>(policy["minSubGroups"].integer(0, 0, kCountMax));
    if (const Cursor topology = policy["networkTopology"]; topology.is_present()) {
      read_network_topology(topology, "spec.subGroupPolicy.networkTopology", rule, wish);
    }
    wish.rules.push_back(std::move(rule));
  }
}

void read_volcano(const Cursor& spec, TopologyWish& wish) {
  if (const Cursor topology = spec["networkTopology"]; topology.is_present()) {
    NearRule rule{.written = "spec.networkTopology" + mode_of(topology)};
    read_network_topology(topology, "spec.networkTopology", rule, wish);
    wish.rules.push_back(std::move(rule));
  }
  read_sub_groups(spec["subGroupPolicy"].items(), wish);
}

// --- Kubernetes' own field ----------------------------------------------------------------------

void read_kubernetes(const Cursor& spec, TopologyWish& wish) {
  constexpr const char* kField = "spec.schedulingConstraints";
  for (const Cursor& each : spec["schedulingConstraints"]["topology"].items()) {
    const std::string key = each["key"].text();
    if (is_label_key(key)) {
      wish.rules.push_back({.written = kField, .required = {.name = key}});
    } else {
      wish.faults.push_back(std::string(kField) + " (\"" + shortened(key, 80) +
                            "\" is no label of nodes)");
    }
  }
}

}  // namespace

TopologyWish read_pod_wish(const Cursor& pod) { return WishReader(pod, true).read(); }

TopologyWish read_owner_wish(const Cursor& owner) { return WishReader(owner, false).read(); }

TopologyWish read_group_wish(const Cursor& group, GroupApi api) {
  TopologyWish wish = read_owner_wish(group);
  const Cursor spec = group["spec"];
  if (api == GroupApi::volcano) read_volcano(spec, wish);
  if (is_of_kubernetes(api)) read_kubernetes(spec, wish);
  tidy_up(wish);
  return wish;
}

}  // namespace berth::kube
