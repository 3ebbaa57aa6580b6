#include "tools/explanation_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "views/reservations_text.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

constexpr std::size_t kTaskRowsMax = 40;
constexpr std::size_t kEvictionLinesMax = 5;

// "3 of 12 for places; before it: a (priority 10, 2 pods placed), b (priority 0, none placed)"
std::string line_text(const simulation::Explanation& explanation) {
  const std::vector<simulation::AheadRow>& ahead = explanation.ahead;
  if (explanation.in_line == 0) return "";
  std::string text =
      fmt::format("{} of {} that waited for {}", ahead.size() + 1, explanation.in_line,
                  explanation.is_for_admission ? "admission" : "places");
  if (ahead.empty()) return text;
  text += "; before it: ";
  for (std::size_t i = 0; i < std::min(ahead.size(), kNodesShown); ++i) {
    const simulation::AheadRow& row = ahead[i];
    const std::string placed =
        row.placed == 0 ? "none" : count_text(static_cast<std::size_t>(row.placed), "pod");
    text += fmt::format("{}{} (priority {}, {} placed)", i == 0 ? "" : ", ", row.job, row.priority,
                        placed);
  }
  if (ahead.size() > kNodesShown) text += fmt::format(" and {} more", ahead.size() - kNodesShown);
  return text;
}

std::string line(const char* what, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<13}{}\n", what, printable(text));
}

// "ml/a-3 (n1), ml/a-2 (n1) and 3 more, in cycle 2 by preempt for ml/b, as surplus: it is ..."
std::string evictions_text(const std::vector<const simulation::PastEviction*>& alike,
                           const std::string& explained) {
  const auto& [cycle, first] = *alike.front();
  std::string text;
  for (std::size_t i = 0; i < std::min(alike.size(), kNodesShown); ++i) {
    const simulation::EvictionRow& row = alike[i]->eviction;
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", row.pod, row.node);
  }
  if (alike.size() > kNodesShown) text += fmt::format(" and {} more", alike.size() - kNodesShown);
  text += fmt::format(", in cycle {} by {}", cycle, first.action);
  const std::string what_for = first.for_text();
  if (!what_for.empty() && what_for != explained) text += " for " + what_for;
  text += ", as " + words_of(first.as);
  return first.why.empty() ? text : text + ": " + first.why;
}

// Pods that leave for the same reason share a line.
std::string eviction_lines(const char* what, const std::vector<simulation::PastEviction>& all,
                           const std::string& explained) {
  using Alike = std::vector<const simulation::PastEviction*>;
  std::vector<Alike> groups;
  for (const simulation::PastEviction& each : all) {
    const auto is_alike = [&](const Alike& group) {
      const auto& [cycle, row] = *group.front();
      return cycle == each.cycle && row.job == each.eviction.job &&
             row.action == each.eviction.action && row.for_text() == each.eviction.for_text() &&
             row.as == each.eviction.as && row.why == each.eviction.why;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), is_alike);
    (group == groups.end() ? groups.emplace_back() : *group).push_back(&each);
  }
  std::string text;
  std::size_t shown = 0;
  std::size_t pods = 0;
  for (const Alike& group : groups) {
    if (shown++ == kEvictionLinesMax) break;
    text += line(what, evictions_text(group, explained));
    pods += group.size();
  }
  return text + (all.size() > pods
                     ? line(what, fmt::format("{} more pods (-o json has all)", all.size() - pods))
                     : "");
}

}  // namespace

std::string explanation_table(const simulation::Explanation& explanation, TableStyle style) {
  const simulation::JobRow& job = explanation.job;
  std::string text = fmt::format("{}: {}\n\n", printable(job.job), to_string(job.phase));
  text += line("queue", job.queue);
  text += line("priority", std::to_string(job.priority));
  text += line("placed", fmt::format("{} of {} pods; it starts with {}", job.placed,
                                     job.placed + job.waiting, job.min_available));
  for (const simulation::RoleRow& role : explanation.roles) {
    text += line("role",
                 fmt::format("{}: {} placed, minimum {}", role.role, role.placed, role.minimum));
  }
  if (const auto& limit = explanation.time_limit) {
    text += line("time limit",
                 fmt::format("{} ({})", format_duration(limit->length), words_of(limit->source)));
  }
  text += line("reason", reason_text(job));
  if (explanation.target) {
    for (const views::TargetLine& each : views::target_lines(*explanation.target)) {
      text += line(each.what.c_str(), each.text);
    }
  }
  for (const simulation::KeptRow& each : explanation.blocked_by) {
    const std::string owner = each.queue.empty() ? "target " + each.job : "queue " + each.queue;
    text +=
        line("blocked by", fmt::format("{}, for which {} {} kept", owner, first_names(each.nodes),
                                       each.nodes.size() == 1 ? "is" : "are"));
  }
  text += eviction_lines("evicted", explanation.evicted, job.job);
  text += eviction_lines("makes room", explanation.makes_room, job.job);
  for (const simulation::ConsideredRow& each : explanation.considered) {
    text += line("considered", each.message);
  }
  for (const std::string& each : explanation.missing) text += line("missing", each);
  for (const std::string& each : explanation.remedies) text += line("would start", "with " + each);
  text += line("in line", line_text(explanation));
  if (explanation.tasks.empty()) return text;

  views::TextTable table({"POD", "STATUS", "NODE", "WHY"});
  for (std::size_t i = 0; i < std::min(explanation.tasks.size(), kTaskRowsMax); ++i) {
    const simulation::TaskRow& row = explanation.tasks[i];
    table.add({row.pod, row.status, row.node.empty() ? "-" : row.node, row.why});
  }
  return text + "\n" + table.render(style) + more_line(explanation.tasks.size(), kTaskRowsMax);
}

std::string more_line(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("... and {} more (-o json has all)\n", all - shown) : "";
}

std::string words_of(std::string label) {
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string reason_text(const simulation::JobRow& row) {
  return row.message.empty() ? row.reason : row.message;
}

}  // namespace berth::tools
