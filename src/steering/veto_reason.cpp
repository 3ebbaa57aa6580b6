#include "steering/veto_reason.h"

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

}  // namespace

std::string veto_reason(std::string_view message) {
  constexpr std::string_view kStart = " nodes are available: ";
  const std::size_t start = message.find(kStart);
  if (start == message.npos) return "it was not offered";
  std::string_view rest = message.substr(start + kStart.size());
  rest = rest.substr(0, rest.find(". "));  // about preemption
  while (rest.ends_with('.')) rest.remove_suffix(1);
  const std::string_view all = rest;
  std::string reason;
  while (!rest.empty()) {
    const std::size_t end = rest.find(", ");
    const std::string_view part = without_count(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 2);
    if (is_about_other_nodes(part)) continue;
    reason += reason.empty() ? "" : ", ";
    reason += part;
  }
  if (reason.empty()) reason = without_count(all);
  return reason.empty() ? "it was not offered" : reason.substr(0, kLengthMost);
}

}  // namespace berth::steering
