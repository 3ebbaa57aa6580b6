#include "views/topology_text.h"

#include <fmt/format.h>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "views/queues_text.h"

namespace berth::views {

namespace {

constexpr const char* kHostname = "kubernetes.io/hostname";

// "12 of 16 nvidia.com/gpu, 40 of 64 cpu"; without `all`, "12 nvidia.com/gpu". Pods are left out,
// since they matter little here.
std::string room_text(const NamedAmounts& free, const NamedAmounts* all,
                      const std::string& resource) {
  std::string text;
  const NamedAmounts& shown = all == nullptr ? free : *all;
  for (auto each = shown.rbegin(); each != shown.rend(); ++each) {
    const std::string& name = each->first;
    if (resource.empty() ? name == "pods" : name != resource) continue;
    const auto found = free.find(name);
    text += (text.empty() ? "" : ", ") +
            brief_amount(name, found == free.end() ? 0 : found->second) +
            (all == nullptr ? "" : " of " + brief_amount(name, each->second)) + " " + name;
  }
  return text.empty() ? "-" : text;
}

// The last level whose domains are shown.
std::size_t last_level(const TopologyOverview::Topology& topology, const std::string& asked) {
  const auto& levels = topology.levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool is_asked = !asked.empty() && (asked == levels[i].name || asked == levels[i].label ||
                                             asked == levels[i].alias);
    if (is_asked) return i;
  }
  const bool ends_in_nodes = levels.size() > 1 && levels.back().label == kHostname;
  return levels.size() - (asked.empty() && ends_in_nodes ? 2 : 1);
}

std::string text_of(const TopologyOverview::Topology& topology, std::size_t nodes,
                    const TopologyStyle& style) {
  std::string text =
      fmt::format("{}: {}", printable(topology.title), count_text(topology.nodes, "node"));
  if (nodes > topology.nodes) text += fmt::format(", {} outside", nodes - topology.nodes);
  text += "\n\n";
  TextTable levels({"LEVEL", "DOMAINS", "NODES", "MOST FREE IN ONE DOMAIN"});
  for (const TopologyOverview::Level& level : topology.levels) {
    levels.add({level.name, std::to_string(level.domains), std::to_string(level.nodes),
                room_text(level.most, nullptr, style.resource)});
  }
  text += levels.render(style.text);
  if (topology.domains.empty()) return text + "\n";
  TextTable domains({"DOMAIN", "LEVEL", "NODES", "FREE"});
  const std::size_t last = last_level(topology, style.level);
  for (const TopologyOverview::Domain& domain : topology.domains) {
    if (domain.level > last) continue;
    domains.add({std::string(domain.depth * 2, ' ') + domain.name,
                 topology.levels[domain.level].name, std::to_string(domain.nodes),
                 room_text(domain.room.free, &domain.room.all, style.resource)});
  }
  return text + "\n" + domains.render(style.text) + "\n";
}

std::string wishes_text(const TopologyOverview& overview, const TopologyStyle& style) {
  if (overview.wishes.empty()) return {};
  TextTable table({"JOB", "PODS", "NEAR", "TOPOLOGY OR WHY NOT"});
  for (const TopologyOverview::Wish& wish : overview.wishes) {
    const std::string& where = wish.why.empty() ? wish.topology : wish.why;
    table.add({wish.job, wish.pods.empty() ? "-" : wish.pods, wish.near.empty() ? "-" : wish.near,
               where.empty() ? "-" : where});
  }
  return table.render(style.text);
}

}  // namespace

std::string topology_text(const TopologyOverview& overview, const TopologyStyle& style) {
  std::string text;
  for (const auto& each : overview.topologies) text += text_of(each, overview.nodes, style);
  if (overview.topologies.empty()) text += "no topology is known\n\n";
  for (const auto& [object, why] : overview.sentences) {
    text += printable(object + ": " + why) + "\n";
  }
  if (!overview.sentences.empty()) text += "\n";
  text += wishes_text(overview, style);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace berth::views
