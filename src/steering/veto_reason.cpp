#include "steering/veto_reason.h"

#include <optional>

#include "ports/plan_table.h"

namespace berth::steering {

namespace {

constexpr std::size_t kLengthMost = 200;

// "2 node(s) ..." without the number.
std::string_view without_count(std::string_view part) {
  const std::size_t begin = part.find_first_not_of("0123456789 ");
  return begin == part.npos ? std::string_view{} : part.substr(begin);
}

// The other nodes are left out by the affinity of the copy, or by the pod's own.
bool is_about_other_nodes(std::string_view part) {
  return part.find("NodeAffinity") != part.npos || part.find("node affinity") != part.npos;
}

// Of "0/3 nodes are available: 1 ..., 2 .... preemption: ..." the list. None: it is another text.
std::optional<std::string_view> list_in(std::string_view message) {
  constexpr std::string_view kStart = " nodes are available: ";
  const std::size_t start = message.find(kStart);
  if (start == message.npos) return std::nullopt;
  std::string_view list = message.substr(start + kStart.size());
  list = list.substr(0, list.find(". "));  // about preemption
  while (list.ends_with('.')) list.remove_suffix(1);
  return list;
}

// Its parts that are wanted, as `shown` has them.
template <class IsWanted, class Shown>
std::string parts_of(std::string_view list, const IsWanted& is_wanted, const Shown& shown) {
  std::string text;
  while (!list.empty()) {
    const std::size_t end = list.find(", ");
    const std::string_view part = list.substr(0, end);
    list = end == list.npos ? std::string_view{} : list.substr(end + 2);
    if (!is_wanted(part)) continue;
    text += text.empty() ? "" : ", ";
    text += shown(part);
  }
  return text;
}

bool is_about_the_planned(std::string_view part) { return !is_about_other_nodes(part); }

}  // namespace

std::string veto_reason(std::string_view message) {
  const std::optional<std::string_view> list = list_in(message);
  if (!list) return "it was not offered";
  std::string reason = parts_of(*list, is_about_the_planned, without_count);
  if (reason.empty()) reason = without_count(*list);
  return reason.empty() ? "it was not offered" : reason.substr(0, kLengthMost);
}

std::string refusal_text(std::string_view message, bool is_hint) {
  const std::optional<std::string_view> list = list_in(message);
  if (!list) return std::string(message.empty() ? "a node was not offered" : message);
  const auto as_it_is = [](std::string_view part) { return part; };
  const auto is_wanted = [&](std::string_view part) {
    return is_hint || is_about_the_planned(part);
  };
  std::string text = parts_of(*list, is_wanted, as_it_is);
  if (text.empty()) text = *list;
  return text.substr(0, kLengthMost);
}

bool is_refused_everywhere(std::string_view message) {
  return list_in(message) && message.find(ports::kOurRefusals) == message.npos;
}

}  // namespace berth::steering
