#include "views/topology_document.h"

#include "views/document_head.h"

namespace berth::views {

namespace {

using Json = nlohmann::ordered_json;

Json json_of_level(const TopologyOverview::Level& level) {
  return {{"name", level.name},          {"label", level.label},
          {"alias", level.alias},        {"tier", level.tier ? Json(*level.tier) : Json(nullptr)},
          {"domains", level.domains},    {"nodes", level.nodes},
          {"free", json_of(level.free)}, {"mostInOneDomain", json_of(level.most)}};
}

Json json_of_topology(const TopologyOverview::Topology& topology) {
  Json json{{"kind", topology.kind}, {"name", topology.name}, {"nodes", topology.nodes}};
  json["levels"] = Json::array();
  for (const auto& level : topology.levels) json["levels"].push_back(json_of_level(level));
  json["domains"] = Json::array();
  for (const TopologyOverview::Domain& domain : topology.domains) {
    json["domains"].push_back({{"name", domain.name},
                               {"path", domain.path},
                               {"level", topology.levels[domain.level].name},
                               {"nodes", domain.nodes},
                               {"allocatable", json_of(domain.room.all)},
                               {"free", json_of(domain.room.free)}});
  }
  return json;
}

}  // namespace

std::string write_topology_overview(const TopologyOverview& overview) {
  Json json = document_of_kind("Topology");
  json["nodes"] = overview.nodes;
  json["topologies"] = Json::array();
  for (const auto& each : overview.topologies) {
    json["topologies"].push_back(json_of_topology(each));
  }
  json["notCounted"] = Json::array();
  for (const auto& [object, why] : overview.sentences) {
    json["notCounted"].push_back({{"object", object}, {"why", why}});
  }
  json["wishes"] = Json::array();
  for (const TopologyOverview::Wish& wish : overview.wishes) {
    json["wishes"].push_back({{"job", wish.job},
                              {"field", wish.written},
                              {"pods", wish.pods},
                              {"near", wish.near},
                              {"topology", wish.topology},
                              {"why", wish.why}});
  }
  return document_text(json);
}

}  // namespace berth::views
