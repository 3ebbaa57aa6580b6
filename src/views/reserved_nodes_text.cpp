#include "views/reserved_nodes_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/amount_text.h"

namespace berth::views {

namespace {

std::string listed(const std::vector<std::string>& texts, const char* separator) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : separator) + text;
  return list;
}

// "40 cpu", "3 nodes"
std::string asked_text(const ReservedNodes& nodes) {
  if (nodes.asked_nodes > 0) {
    return count_text(static_cast<std::size_t>(nodes.asked_nodes), "node");
  }
  std::vector<std::string> amounts;
  for (const ReservedNodes::Amount& each : nodes.amounts) {
    if (each.asked > 0) amounts.push_back(amount_of(each.resource, each.asked, Rounding::up));
  }
  return listed(amounts, ", ");
}

// "28 idle, 8 its own, 4 missing"
std::string state_text(const ReservedNodes::Amount& amount, bool is_named) {
  const auto say = [&](std::int64_t value, Rounding rounding, const char* what) {
    return readable_amount(amount.resource, value, rounding) + what;
  };
  std::string text = is_named ? amount.resource + " " : "";
  text += say(amount.idle, Rounding::down, " idle, ") + say(amount.own, Rounding::down, " its own");
  if (amount.leaving > 0) text += ", " + say(amount.leaving, Rounding::down, " leaving");
  if (amount.missing > 0) text += ", " + say(amount.missing, Rounding::up, " missing");
  return text;
}

}  // namespace

std::string score_text(const ReservedNodes& nodes) {
  constexpr std::int32_t kThousandth = 1000;  // in millionths
  if (nodes.score_millionths <= 0) return "";
  const std::int32_t thousandths = (nodes.score_millionths + kThousandth / 2) / kThousandth;
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string missing_text(const ReservedNodes& nodes) {
  std::vector<std::string> amounts;
  for (const ReservedNodes::Amount& each : nodes.amounts) {
    if (each.missing > 0) amounts.push_back(amount_of(each.resource, each.missing, Rounding::up));
  }
  if (amounts.empty() && !nodes.lacks.empty()) return "nodes";
  return listed(amounts, ", ");
}

std::string reserved_nodes_text(const ReservedNodes& nodes) {
  std::string text = nodes.nodes.empty() ? "no node" : count_text(nodes.nodes.size(), "node");
  text += " of its own";
  if (!nodes.nodes.empty()) {
    const std::string score = score_text(nodes);
    text += " (" + first_names(nodes.nodes) + (score.empty() ? "" : "; score " + score) + ")";
  }
  if (const std::string asked = asked_text(nodes); !asked.empty()) text += " for " + asked;
  // A queue that asks for a number of nodes asks for no amount.
  std::vector<std::string> states;
  const auto counts = [&](const ReservedNodes::Amount& each) {
    return nodes.asked_nodes > 0 || each.asked > 0;
  };
  const auto count = std::count_if(nodes.amounts.begin(), nodes.amounts.end(), counts);
  const bool is_named = count > 1 || nodes.asked_nodes > 0;
  for (const ReservedNodes::Amount& each : nodes.amounts) {
    if (counts(each)) states.push_back(state_text(each, is_named));
  }
  if (!states.empty()) text += ": " + listed(states, "; ");
  const bool is_used = std::any_of(nodes.amounts.begin(), nodes.amounts.end(),
                                   [](const auto& each) { return each.missing > 0; });
  if (!nodes.lacks.empty()) return text + "; not enough: " + nodes.lacks;
  if (!is_used) return text;
  text += ": used by others, ";
  if (nodes.in_the_way.empty()) return text + (nodes.evicts ? "which are evicted" : "which finish");
  return text + "of which some stay: " + nodes.in_the_way;
}

}  // namespace berth::views
