#include "conf/constraints_settings.h"

#include <limits>
#include <string>
#include <vector>

#include "berth/base/text.h"
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

}  // namespace

void read_constraints(document::Reading& reading, const Cursor& from, ConstraintsSettings& to) {
  require_known_keys(reading, from, "constraints");
  to.volumes = from["volumes"].boolean(true);
  for (const Cursor& item : from["defaultSpread"].items()) {
    require_known_keys(reading, item, "constraints.defaultSpread[]");
    to.default_spreads.push_back(read_spread(item));
  }
}

}  // namespace berth::conf
