#include "embedded/extender_wire.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "berth/base/text.h"

namespace berth::embedded {
namespace {

using PlainJson = nlohmann::json;

Result<PlainJson> first_value(const std::string& body) {
  try {
    std::istringstream stream(body);
    PlainJson value;
    stream >> value;  // stops after one value, as Go's decoder does
    return value;
  } catch (const std::exception& failure) {
    return Error{fmt::format("not JSON: {}", failure.what()), ""};
  }
}

// The value, or null if there is none.
const PlainJson& member(const PlainJson& object, std::string_view key) {
  static const PlainJson nothing;
  for (auto entry = object.begin(); entry != object.end(); ++entry) {
    if (is_same_word(entry.key(), key)) return entry.value();
  }
  return nothing;
}

Result<std::string> error_text(const PlainJson& object) {
  if (!object.is_object()) return Error{"expected an object", ""};
  const PlainJson& text = member(object, "Error");
  if (text.is_null()) return std::string();
  const auto* error = text.get_ptr<const std::string*>();
  if (error == nullptr) return Error{"\"Error\" is not a string", ""};
  return *error;
}

using Positions = std::unordered_map<std::string_view, std::size_t>;  // look-up only

Positions positions_of(const std::vector<std::string_view>& names) {
  Positions positions;
  positions.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) positions.emplace(names[i], i);
  return positions;
}

}  // namespace

std::string extender_args(std::string_view pod, const std::vector<std::string_view>& names) {
  std::string body = fmt::format(R"({{"Pod":{},"Nodes":null,"NodeNames":[)", pod);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) body += ',';
    append_json_string(body, names[i]);
  }
  body += "]}";
  return body;
}

std::string binding_args(const ports::Binding& binding) {
  return fmt::format(R"({{"PodName":{},"PodNamespace":{},"PodUID":{},"Node":{}}})",
                     json_string(binding.name), json_string(binding.name_space),
                     json_string(binding.uid), json_string(binding.node));
}

std::string preemption_args(std::string_view pod, const std::vector<NodeVictims>& nodes) {
  std::string body =
      fmt::format(R"({{"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":{{)", pod);
  for (const NodeVictims& each : nodes) {
    if (&each != &nodes.front()) body += ',';
    body += json_string(each.node) + R"(:{"Pods":[)";
    for (const std::string& uid : each.uids) {
      if (&uid != &each.uids.front()) body += ',';
      body += R"({"UID":)" + json_string(uid) + '}';
    }
    body += fmt::format(R"(],"NumPDBViolations":{}}})", each.violations);
  }
  return body + "}}";
}

Result<std::vector<std::size_t>> read_filter_result(const std::string& body,
                                                    const std::vector<std::string_view>& asked) {
  const Result<PlainJson> result = first_value(body);
  if (!result) return result.error();
  const Result<std::string> error = error_text(*result);
  if (!error) return error.error();
  if (!error->empty()) return Error{*error, ""};

  std::vector<std::size_t> kept;
  const PlainJson& names = member(*result, "NodeNames");
  if (names.is_null()) return kept;
  if (!names.is_array()) return Error{"\"NodeNames\" is not a list", ""};
  const Positions positions = positions_of(asked);
  for (const PlainJson& name : names) {
    const auto* node = name.get_ptr<const std::string*>();
    if (node == nullptr) return Error{"\"NodeNames\" has an element that is not a string", ""};
    const auto found = positions.find(*node);
    if (found == positions.end()) {
      return Error{fmt::format("node \"{}\" was not asked about", *node), ""};
    }
    kept.push_back(found->second);
  }
  return kept;
}

Result<std::vector<std::int64_t>> read_priorities(const std::string& body,
                                                  const std::vector<std::string_view>& asked) {
  const Result<PlainJson> result = first_value(body);
  if (!result) return result.error();
  std::vector<std::int64_t> scores(asked.size(), 0);
  if (result->is_null()) return scores;
  if (!result->is_array()) return Error{"expected a list of hosts and scores", ""};
  const Positions positions = positions_of(asked);
  for (const PlainJson& entry : *result) {
    if (!entry.is_object()) return Error{"expected an object with \"Host\" and \"Score\"", ""};
    const auto* host = member(entry, "Host").get_ptr<const std::string*>();
    const auto* score = member(entry, "Score").get_ptr<const std::int64_t*>();
    if (host == nullptr) return Error{"\"Host\" is not a string", ""};
    if (score == nullptr) return Error{"\"Score\" is not an integer", ""};
    const auto found = positions.find(*host);
    if (found != positions.end()) scores[found->second] = *score;
  }
  return scores;
}

Result<std::vector<NodeVictims>> read_preemption_result(const std::string& body) {
  const Result<PlainJson> result = first_value(body);
  if (!result) return result.error();
  if (!result->is_object()) return Error{"expected an object", ""};
  const PlainJson& nodes = member(*result, "NodeNameToMetaVictims");
  if (!nodes.is_object() && !nodes.is_null()) {
    return Error{"\"NodeNameToMetaVictims\" is not an object", ""};
  }
  std::vector<NodeVictims> left;
  for (const auto& [node, victims] : nodes.items()) {
    if (victims.is_null()) continue;
    if (!victims.is_object()) return Error{fmt::format("node \"{}\" is no object", node), ""};
    const auto* violations = member(victims, "NumPDBViolations").get_ptr<const std::int64_t*>();
    NodeVictims on{node, {}, violations == nullptr ? 0 : *violations};
    for (const PlainJson& pod : member(victims, "Pods")) {
      const auto* uid =
          pod.is_object() ? member(pod, "UID").get_ptr<const std::string*>() : nullptr;
      if (uid == nullptr)
        return Error{fmt::format("node \"{}\" has a pod without a uid", node), ""};
      on.uids.push_back(*uid);
    }
    if (!on.uids.empty()) left.push_back(std::move(on));
  }
  return left;
}

Status read_binding_result(const std::string& body) {
  const Result<PlainJson> result = first_value(body);
  if (!result) return result.error();
  const Result<std::string> error = error_text(*result);
  if (!error) return error.error();
  if (!error->empty()) return Error{*error, ""};
  return Done{};
}

}  // namespace berth::embedded
