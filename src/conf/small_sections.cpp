#include "conf/small_sections.h"

#include <algorithm>
#include <limits>

#include "berth/base/label_syntax.h"
#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/topology_objects.h"
#include "conf/known_keys.h"

namespace berth::conf {

using document::Cursor;

namespace {

std::string read_one_of(const Cursor& at, const std::vector<std::string>& values,
                        const std::string& fallback) {
  const std::string text = at.text(fallback);
  if (std::find(values.begin(), values.end(), text) != values.end()) return text;
  at.complain("unknown value \"" + text + "\"" + suggestion(text, values));
  return fallback;
}

NodePolicy read_policy(const Cursor& at, const std::string& fallback) {
  return read_one_of(at, {"Honor", "Ignore"}, fallback) == "Honor" ? NodePolicy::honor
                                                                   : NodePolicy::ignore;
}

SpreadConstraint read_spread(const Cursor& from) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  SpreadConstraint spread;
  spread.topology_key = from.required_text("topologyKey");
  spread.max_skew = static_cast<std::int32_t>(from["maxSkew"].integer(1, 1, kMost));
  spread.min_domains = static_cast<std::int32_t>(from["minDomains"].integer(1, 1, kMost));
  spread.affinity = read_policy(from["nodeAffinityPolicy"], "Honor");
  spread.taints = read_policy(from["nodeTaintsPolicy"], "Ignore");
  read_one_of(from["whenUnsatisfiable"], {"DoNotSchedule"}, "DoNotSchedule");
  return spread;
}

constexpr std::int64_t kPodsMost = 1'000'000;

// "5%"
std::int64_t read_share(const Cursor& at, std::int64_t fallback) {
  if (!at.is_present()) return fallback;
  const std::string text = at.scalar();
  if (text.ends_with('%')) {
    const auto percent = parse_number<std::int64_t>(text.substr(0, text.size() - 1));
    if (percent && *percent >= 0 && *percent <= 100) return *percent;
  }
  at.complain("\"" + text + "\" is no share, expected whole percents from 0% to 100%");
  return fallback;
}

void read_limit(document::Reading& reading, const Cursor& from, std::string_view section,
                engine::EvictionLimit& to) {
  require_known_keys(reading, from, section);
  to.pods = from["pods"].integer(to.pods, 1, kPodsMost);
  to.percent = read_share(from["share"], to.percent);
}

constexpr std::int64_t kHistoryLeast = std::int64_t{4} << 20;
constexpr std::int64_t kHistoryMost = std::int64_t{1} << 40;

}  // namespace

void read_constraints(document::Reading& reading, const Cursor& from, ConstraintsSettings& to) {
  require_known_keys(reading, from, "constraints");
  to.volumes = from["volumes"].boolean(true);
  for (const Cursor& item : from["defaultSpread"].items()) {
    require_known_keys(reading, item, "constraints.defaultSpread[]");
    to.default_spreads.push_back(read_spread(item));
  }
}

void read_eviction_limits(document::Reading& reading, const Cursor& from,
                          engine::EvictionLimits& to) {
  require_known_keys(reading, from, "evictionLimit");
  read_limit(reading, from["cluster"], "evictionLimit.cluster", to.cluster);
  read_limit(reading, from["queue"], "evictionLimit.queue", to.queue);
}

void read_history(document::Reading& reading, const Cursor& from, HistorySettings& to) {
  require_known_keys(reading, from, "history");
  to.directory = from["directory"].text();
  if (from.is_present() && to.directory.empty()) {
    from.complain("`directory` is missing, expected a path");
  }
  if (!from["size"].is_present()) return;
  const std::string text = from["size"].scalar();
  const Result<std::int64_t> size = parse_quantity(text, Scale::one, kHistoryMost);
  if (!size || *size < kHistoryLeast) {
    return from["size"].complain("\"" + text + "\" is no amount from 4Mi to 1Ti");
  }
  to.bytes = static_cast<std::uint64_t>(*size);
}

// TOPO-1, TOPO-3
void read_topology(document::Reading& reading, const Cursor& from, TopologySettings& to) {
  require_known_keys(reading, from, "topology");
  const Cursor list = from["levels"];
  std::vector<TopologyLevel> levels;
  for (const Cursor& item : list.items()) {
    const std::string label = item.text();
    if (!is_label_key(label)) {
      item.complain("\"" + label + "\" is no label, expected one such as \"example.com/rack\"");
    }
    to.levels.push_back(label);
    levels.push_back({label});
  }
  if (levels.empty()) return;
  if (const std::string fault = fault_of(levels); !fault.empty()) list.complain(fault);
}

}  // namespace berth::conf
