// kube-scheduler's calls of the extender, and the answers to them.
#include "extender/wire.h"

#include <nlohmann/json.hpp>
#include <set>

#include "embedded/extender_wire.h"
#include "fuzz/fuzz.h"
#include "http/message.h"

namespace berth::fuzz {
namespace {

using namespace extender;

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

bool same_pod(const PodOnWire& left, const PodOnWire& right) {
  return left.full_name() == right.full_name() && left.uid == right.uid &&
         left.scheduler_name == right.scheduler_name && left.json == right.json &&
         left.nominated_node == right.nominated_node && left.is_daemon == right.is_daemon;
}

// The answer to a call has each node as it came, so kube-scheduler finds it.
void expect_answer(const FilterArgs& args) {
  FilterReply accepted, rejected;
  accepted.form = rejected.form = args.form;
  std::vector<std::string_view> names;
  std::vector<HostScore> scores;
  for (const NodeOnWire& node : args.nodes) {
    BERTH_CHECK(is_json(node.json));
    names.push_back(node.name);
    accepted.accepted.push_back(node.json);
    rejected.rejected.emplace_back(node.name, "full");
    scores.push_back({node.name, 7});
  }
  BERTH_CHECK(is_json(encode(accepted)) && is_json(encode(rejected)));
  const auto read = embedded::read_priorities(encode(scores), names);
  BERTH_CHECK(read && read->size() == names.size());
  const std::set<std::string_view> different(names.begin(), names.end());
  BERTH_CHECK(different.size() ==
              static_cast<std::size_t>(std::count(read->begin(), read->end(), 7)));
  if (args.form != NodeForm::names) return;
  const auto kept = embedded::read_filter_result(encode(accepted), names);
  BERTH_CHECK(kept && kept->size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) BERTH_CHECK(names[(*kept)[i]] == names[i]);
}

// Room behind the body changes nothing.
void read_filter(WireReader& reader, const std::string& body, const std::string& padded) {
  WireReader other;
  const auto args = reader.filter_args(body);
  const auto same = other.filter_args(padded);
  BERTH_CHECK(args.has_value() == same.has_value());
  if (!args) {
    BERTH_CHECK(same_error(args.error(), same.error()));
    return expect_readable(args.error(), body);
  }
  BERTH_CHECK(same_pod(args->pod, same->pod) && args->nodes.size() == same->nodes.size());
  BERTH_CHECK(is_json(args->pod.json) && args->pod.json.size() <= body.size());
  expect_answer(*args);
}

void read_preempt(WireReader& reader, const std::string& body) {
  const auto args = reader.preempt_args(body);
  if (!args) return expect_readable(args.error(), body);
  const std::string answer = encode(args->nodes);
  const auto again = reader.preempt_args(R"({"Pod":{},)" + answer.substr(1));
  BERTH_CHECK(again && encode(again->nodes) == answer);
}

void read_binding(WireReader& reader, const std::string& body) {
  const auto binding = reader.binding_args(body);
  if (!binding) return expect_readable(binding.error(), body);
  const auto again = reader.binding_args(embedded::binding_args(*binding));
  BERTH_CHECK(again && again->name == binding->name && again->name_space == binding->name_space);
  BERTH_CHECK(again->uid == binding->uid && again->node == binding->node);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string body(view_of(bytes, size));
  body.shrink_to_fit();
  std::string padded = body;
  padded.reserve(size + http::kBodyPadding);
  WireReader reader;
  read_filter(reader, body, padded);
  read_preempt(reader, body);
  read_binding(reader, padded);
  return 0;
}

}  // namespace berth::fuzz
