#include <re2/re2.h>

#include <memory>

#include "berth/base/label_syntax.h"
#include "berth/base/number.h"
#include "berth/base/printable.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"

// The objects that say which nodes are near each other: docs/design/topology.md. One of the API
// server that cannot be read counts as if it was not there, and its fault is shown.

namespace berth::kube {

namespace {

using document::Cursor;

std::string read_label_key(const Cursor& at) {
  std::string key = at.text();
  if (!is_label_key(key)) {
    at.complain("\"" + shortened(key, 80) + "\" is no label of nodes");
    key.clear();
  }
  return key;
}

Result<TopologyObject> decode_levels(const document::Value& value, std::string_view file,
                                     Complaint* complaint, TopologyKind kind) {
  document::Reading reading(value, file, strictness(complaint));
  const Cursor root = reading.root();
  LevelsObject object;
  object.kind = kind;
  object.name = read_metadata(root, "Topology", Scope::cluster).name;
  if (reading.failed()) return reading.error();
  for (const Cursor& item : root["spec"]["levels"].items()) {
    TopologyLevel level{read_label_key(item["nodeLabel"])};
    if (item["alias"].is_present()) level.alias = read_label_key(item["alias"]);
    object.levels.push_back(std::move(level));
  }
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) object.fault = reading.error().message;  // API-25
  return TopologyObject{std::move(object)};
}

// A number; an older version of the API has it as a string.
std::int32_t read_tier(const Cursor& at) {
  const std::string text = at.scalar();
  if (const auto tier = parse_number<std::int32_t>(text); tier && *tier >= 0) return *tier;
  at.complain("\"" + shortened(text, 80) + "\" is no tier, expected a number from 0");
  return 0;
}

constexpr std::size_t kPatternBytesMax = 4'096;
constexpr std::int64_t kPatternMemoryMax = 128 << 10;  // of what RE2 makes of one
constexpr std::size_t kPatternsMax = 256;              // of one HyperNode

// Bytes of others: RE2 takes linear time, and within these bounds little memory.
NamePattern read_pattern(const Cursor& at) {
  std::string text = at.text();
  if (text.empty()) return {};
  const std::string shown = "\"" + shortened(text, 80) + "\"";
  if (text.size() > kPatternBytesMax) {
    at.complain(shown + " has " + std::to_string(text.size()) + " bytes, expected at most " +
                std::to_string(kPatternBytesMax));
    return {};
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemoryMax);
  const auto expression = std::make_shared<const RE2>(text, options);
  if (!expression->ok()) {
    at.complain(shown + " is no regular expression: " + shortened(expression->error(), 80));
    return {std::move(text)};
  }
  return {std::move(text),
          [expression](std::string_view name) { return RE2::PartialMatch(name, *expression); }};
}

// TOPO-4
HyperNodeMember read_member(const Cursor& from) {
  HyperNodeMember member;
  const std::string type = from["type"].text();
  member.is_hyper_node = type == "HyperNode";
  if (!member.is_hyper_node && type != "Node") {
    from.complain("`type` is \"" + shortened(type, 80) + "\", expected Node or HyperNode");
  }
  const Cursor selector = from["selector"];
  const Cursor labels = selector["labelMatch"];
  member.name = read_name(selector["exactMatch"]["name"]);
  member.pattern = read_pattern(selector["regexMatch"]["pattern"]);
  if (labels.is_present()) member.labels = read_label_selector(labels);
  const int selectors = static_cast<int>(selector["exactMatch"].is_present()) +
                        static_cast<int>(selector["regexMatch"].is_present()) +
                        static_cast<int>(labels.is_present());
  if (selectors != 1) {
    selector.complain(std::to_string(selectors) +
                      " selectors, expected one of exactMatch, regexMatch and labelMatch");
  } else if (member.is_hyper_node && member.name.empty()) {
    selector.complain("a HyperNode is a member by exactMatch only");
  }
  return member;
}

}  // namespace

Result<TopologyObject> decode_kueue_topology(const document::Value& value, std::string_view file,
                                             Complaint* complaint) {
  return decode_levels(value, file, complaint, TopologyKind::kueue);
}

Result<TopologyObject> decode_kai_topology(const document::Value& value, std::string_view file,
                                           Complaint* complaint) {
  return decode_levels(value, file, complaint, TopologyKind::kai);
}

Result<TopologyObject> decode_hyper_node(const document::Value& value, std::string_view file,
                                         Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "HyperNode", Scope::cluster);
  if (reading.failed()) return reading.error();
  HyperNodeObject object;
  object.name = std::move(metadata.name);
  object.created = metadata.created;
  const Cursor spec = root["spec"];
  object.tier = read_tier(spec["tier"]);
  object.tier_name = read_name(spec["tierName"]);
  std::size_t patterns = 0;
  for (const Cursor& member : spec["members"].items()) {
    const Cursor pattern = member["selector"]["regexMatch"];
    if (pattern.is_present() && ++patterns > kPatternsMax) {
      pattern.complain("expected at most " + std::to_string(kPatternsMax) +
                       " regular expressions in a HyperNode");
      break;
    }
    object.members.push_back(read_member(member));
  }
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) object.fault = reading.error().message;  // API-25
  return TopologyObject{std::move(object)};
}

}  // namespace berth::kube
