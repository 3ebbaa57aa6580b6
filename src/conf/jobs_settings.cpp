#include "conf/jobs_settings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "berth/base/text.h"
#include "document/checked.h"

namespace berth::conf {

using document::Cursor;

namespace {

std::vector<std::string> read_resources(const Cursor& from) {
  std::vector<std::string> names;
  for (const Cursor& item : from.items()) names.push_back(document::resource_name(item));
  require_no_doubles(from, names);
  return names;
}

GangRule read_rule(const Cursor& from) {
  static const std::vector<std::string> kRules{"annotated", "indexed", "all"};  // as GangRule
  const std::string text = from.text(kRules.front());
  const auto found = std::find(kRules.begin(), kRules.end(), text);
  if (found != kRules.end()) return static_cast<GangRule>(found - kRules.begin());
  from.complain("unknown rule \"" + text + "\"" + suggestion(text, kRules));
  return GangRule::annotated;
}

}  // namespace

void require_no_doubles(const Cursor& list, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  const std::vector<Cursor> items = list.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (seen.insert(names[i]).second) continue;
    items[i].complain("a second \"" + names[i] + "\", expected each name once");
  }
}

void read_jobs(const Cursor& from, const Cursor& old_owners, document::Reading& reading,
               Config& config) {
  JobsSettings& to = config.jobs;
  to.gang = read_rule(from["gang"]);
  if (from["owners"].is_present()) to.owners = read_resources(from["owners"]);
  if (!old_owners.is_present()) return;
  config.warnings.push_back(reading.place_of(*old_owners.value()) +
                            ": `reservation.owners` is now `jobs.owners`, which has further "
                            "resources by default");
  for (std::string& name : read_resources(old_owners)) {
    const bool is_known = std::find(to.owners.begin(), to.owners.end(), name) != to.owners.end();
    if (!is_known) to.owners.push_back(std::move(name));
  }
}

}  // namespace berth::conf
