#include "berth/model/topology_wish.h"

#include <algorithm>
#include <map>
#include <utility>

#include "berth/base/look_up.h"
#include "berth/base/printable.h"
#include "berth/model/labels.h"
#include "berth/model/topology_table.h"

namespace berth {

namespace {

// A condition of the API has room for 32 KiB.
constexpr std::size_t kTextsMax = 8;

constexpr std::size_t kRulesOfJob = 64;

// "spec.networkTopology (hard)" and a reason are "spec.networkTopology (hard; reason)".
std::string with_reason(std::string written, const std::string& why) {
  if (why.empty()) return written;
  if (!written.ends_with(")")) return written + " (" + why + ")";
  written.pop_back();
  return written + "; " + why + ")";
}

// The levels of a rule, as far as they are known.
struct FoundLevels {
  std::optional<FoundLevel> required;
  std::optional<FoundLevel> preferred;
  std::string why;  // one of them is not known
};

FoundLevels find_levels(const NearRule& rule, const TopologyTable& topologies) {
  FoundLevels found;
  const auto find = [&](const LevelName& name, std::optional<FoundLevel>& to) {
    if (name.is_none()) return;
    const Result<FoundLevel> level = topologies.find_level(name);
    if (level) {
      to = *level;
    } else if (found.why.empty()) {
      found.why = level.error().message;
    }
  };
  find(rule.required, found.required);
  find(rule.preferred, found.preferred);
  return found;
}

// Says why no domain of `inner` is within one of `outer`. Empty: each is.
std::string not_within(const LevelName& inner, const std::optional<FoundLevel>& found_inner,
                       const LevelName& outer, const std::optional<FoundLevel>& found_outer) {
  if (!found_inner || !found_outer || !found_outer->level) return {};
  if (found_inner->topology != found_outer->topology) {
    return inner.text() + " and " + outer.text() + " are levels of different topologies";
  }
  if (found_inner->level && *found_inner->level >= *found_outer->level) return {};
  return inner.text() + " is not within " + outer.text();
}

}  // namespace

std::string LevelName::text() const {
  std::string text = name;
  if (tier) text = "tier " + std::to_string(*tier);
  if (!tier_name.empty()) text = tier_name;
  text = shortened(text, 80);
  return topology.empty() ? text : text + " of topology " + shortened(topology, 80);
}

std::string NearRule::pods_text() const {
  std::string text = pods.say_so ? "the pods that say so" : "all pods";
  if (!pods.set.empty()) text = "pods of " + shortened(pods.set, 80);
  if (part_size > 0) return "each " + std::to_string(part_size) + " of " + text;
  if (pods.parted_by.empty()) return text;
  return text + ", by " + shortened(pods.parted_by.front(), 80);
}

std::string NearRule::nearness_text() const {
  std::string text = required.is_none() ? "" : "in one " + required.text();
  if (!preferred.is_none()) {
    text += (text.empty() ? "" : ", ") + std::string("if possible in one ") + preferred.text();
  }
  if (is_as_near_as_can) text += (text.empty() ? "" : ", ") + std::string("as near as can be");
  return text.empty() ? "together" : text;
}

bool may_be_about(const NearRule& rule, const LabelTable& table, LabelSetId labels) {
  const PodsOfRule& pods = rule.pods;
  const auto value = [&](const std::string& key) { return table.find(labels, key); };
  return all_hold(pods.labels, value) &&
         std::all_of(pods.parted_by.begin(), pods.parted_by.end(),
                     [&](const std::string& key) { return value(key) != nullptr; });
}

void add_wish(TopologyWish& to, const TopologyWish& other) {
  to.rules.insert(to.rules.end(), other.rules.begin(), other.rules.end());
  to.faults.insert(to.faults.end(), other.faults.begin(), other.faults.end());
}

void tidy_up(TopologyWish& wish) {
  sort_once(wish.rules);
  if (wish.rules.size() > kRulesOfJob) {
    wish.faults.push_back(wish.rules.back().written + " (the job has " +
                          std::to_string(wish.rules.size()) + " different ones, expected at most " +
                          std::to_string(kRulesOfJob) + ")");
    wish.rules.resize(kRulesOfJob);
  }
  sort_once(wish.faults);
  if (wish.faults.size() > kRulesOfJob) wish.faults.resize(kRulesOfJob);
}

namespace {

struct Resolved {
  const NearRule* rule = nullptr;
  FoundLevels levels;
};
// Of the rules about all of the same pods together, the first.
using WholeRules = std::map<PodsOfRule, Resolved>;

PodsOfRule without_parts(const PodsOfRule& pods) {
  return {pods.say_so, pods.set, pods.labels, {}};
}

// TOPO-11. Says why the rule cannot be meant. Empty: it can.
std::string fault_of(const Resolved& it, const WholeRules& whole, bool is_any_known) {
  const NearRule& rule = *it.rule;
  if (!it.levels.why.empty()) return it.levels.why;
  const bool is_of_no_level = rule.required.is_none() && rule.preferred.is_none();
  if (rule.is_as_near_as_can && is_of_no_level && !is_any_known) return "no topology is known";
  std::string why =
      not_within(rule.preferred, it.levels.preferred, rule.required, it.levels.required);
  const auto found = whole.find(without_parts(rule.pods));
  if (!why.empty() || found == whole.end()) return why;
  const auto& [all, levels] = found->second;
  if (rule.is_of_parts()) {
    why = not_within(rule.required, it.levels.required, all->required, levels.required);
    if (!why.empty()) return why;
    return not_within(rule.required, it.levels.required, all->preferred, levels.preferred);
  }
  // Those that say so, of no certain set, are others for each word.
  const bool are_the_same = !rule.pods.say_so || !rule.pods.set.empty();
  const bool differs = all->required != rule.required || all->preferred != rule.preferred;
  if (!are_the_same || !differs || all->written != rule.written) return {};
  return "of " + rule.pods_text() + " it is written twice: " + all->nearness_text() + ", and " +
         rule.nearness_text() + "; the nearer counts";
}

}  // namespace

std::vector<std::string> not_honoured_of(const TopologyWish& wish, const TopologyTable& topologies,
                                         bool is_alone) {
  std::vector<Resolved> rules;
  WholeRules whole;
  for (const NearRule& rule : wish.rules) {
    rules.push_back({&rule, find_levels(rule, topologies)});
    if (!rule.is_of_parts()) whole.try_emplace(rule.pods, rules.back());
  }
  std::vector<std::string> texts = wish.faults;
  for (const Resolved& each : rules) {
    const NearRule& rule = *each.rule;
    std::string why = fault_of(each, whole, !topologies.trees().empty());
    if (why.empty() && !is_alone && rule.min_parts > 0 && rule.part_size == 0) {
      why = "minSubGroups does not count without subGroupSize";
    }
    if (!why.empty()) texts.push_back(with_reason(rule.written, why));
  }
  sort_once(texts);
  if (texts.size() > kTextsMax) {
    const std::string more = std::to_string(texts.size() - kTextsMax) + " more";
    texts.resize(kTextsMax);
    texts.push_back(more);
  }
  return texts;
}

}  // namespace berth
