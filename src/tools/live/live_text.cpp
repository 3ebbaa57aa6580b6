#include "tools/live/live_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "berth/model/reason.h"
#include "tools/live/live_limits.h"

namespace berth::tools {

namespace {

constexpr std::size_t kEventsShown = 6;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string placed_text(const LiveJob& job) {
  const std::int32_t placed = job.pods.bound + job.pods.succeeded;
  return fmt::format("{}/{}", placed, std::max(job.minimum, placed));
}

std::string position_text(const Line& line) {
  if (!line.position) return "-";
  return line.queue_waiting ? fmt::format("{} of {}", *line.position, *line.queue_waiting)
                            : std::to_string(*line.position);
}

// "2h", "2h to 5h" from now, or "now to 20m"; a promise, which may be the only one, after it.
std::string start_text(const WrittenStart& start, TimePoint now) {
  const auto ahead = [&](TimePoint time) {
    return time <= now ? std::string("now") : age_text(time - now);
  };
  std::string text;
  if (start.likely_from && start.likely_to) {
    const std::string from = ahead(*start.likely_from);
    const std::string to = ahead(*start.likely_to);
    text = from == to ? from : from + " to " + to;
  }
  if (start.starts_by) text += (text.empty() ? "by " : ", by ") + ahead(*start.starts_by);
  return text;
}

// The same as times, for one who plans.
std::string start_sentence(const WrittenStart& start, TimePoint now) {
  const auto at = [&](TimePoint time) {
    return time <= now ? std::string("now")
                       : fmt::format("{} (in {})", format_time(time), age_text(time - now));
  };
  std::string text;
  if (start.likely_from && start.likely_to) {
    text = fmt::format("likely between {} and {}", at(*start.likely_from), at(*start.likely_to));
  }
  if (start.starts_by) {
    text += fmt::format("{}by {} at the latest, if all pods keep their time limits",
                        text.empty() ? "" : "; ", at(*start.starts_by));
  }
  return text;
}

std::string starts_text(const LiveJob& job, TimePoint now) {
  return job.state == JobState::waits ? start_text(job.start, now) : "";
}

// For definitions without status.waiting.position.
std::string line_text(const LiveJob& job) {
  const Line& line = job.line;
  if (!line.text.empty()) return line.text;
  std::string text = line.position ? "position " + position_text(line) : "";
  if (line.ahead) {
    text += (text.empty() ? "" : "; ") + count_text(static_cast<std::size_t>(*line.ahead), "job") +
            " ahead";
  }
  if (!line.names_here.empty()) text += ", in this namespace: " + first_names(line.names_here);
  return text;
}

std::string state_text(const LiveJob& job, TimePoint now) {
  switch (job.state) {
    case JobState::waits:
      return job.since
                 ? fmt::format("waits since {} ({})",
                               format_time(std::chrono::floor<std::chrono::seconds>(*job.since)),
                               age_text(now - *job.since))
                 : "waits";
    case JobState::runs:
      return job.pods.waiting() > 0
                 ? fmt::format("runs; {} of it wait",
                               count_text(static_cast<std::size_t>(job.pods.waiting()), "pod"))
                 : "runs";
    case JobState::done:
      return "is done";
    case JobState::foreign:
      return "is not planned by Berth: its pods name the scheduler " + job.scheduler;
    case JobState::without_pods:
      return "has no pods yet";
  }
  return "";
}

std::string pods_text(const LiveJob& job) {
  const PodCounts& pods = job.pods;
  std::string text = std::to_string(pods.all);
  const auto add = [&](std::int32_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(pods.bound, "with a node");
  add(pods.waiting(), "without a node");
  add(pods.succeeded, "succeeded");
  add(pods.failed, "failed");
  return job.is_group ? text + fmt::format("; it starts with {}", job.minimum) : text;
}

std::string queue_text(const LiveJob& job) {
  const std::string line = job.state == JobState::waits ? line_text(job) : "";
  return or_dash(job.queue) + (line.empty() ? "" : ": " + line);
}

// The newest events, each text once.
std::vector<std::string> event_lines(const LiveJob& job, TimePoint now) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const LiveEvent& event : job.events) {
    if (lines.size() == kEventsShown) break;
    if (!seen.insert(event.reason + event.message).second) continue;
    lines.push_back(fmt::format("{} ago, {}: {}: {}", age_text(now - event.time), event.object,
                                event.reason, event.message));
  }
  return lines;
}

// "ml/train (PodGroup of Job training)"
std::string title(const LiveJob& job) {
  const std::string owner =
      job.owner.kind.empty() ? "" : " of " + job.owner.kind + " " + job.owner.name;
  return printable(job.full_name() + " (" + job.kind() + owner + ")");
}

}  // namespace

std::string age_text(Duration age) {
  const auto seconds =
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{}s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{}m", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{}h", seconds / kHour);
  return fmt::format("{}d", seconds / kDay);
}

std::string jobs_table(const std::vector<LiveJob>& jobs, bool has_namespaces, TimePoint now,
                       const views::TextStyle& style) {
  std::vector<std::string> headings{"NAME",   "QUEUE",  "STATE", "PHASE",    "POSITION",
                                    "STARTS", "PLACED", "AGE",   "WAITS FOR"};
  if (has_namespaces) headings.insert(headings.begin(), "NAMESPACE");
  views::TextTable table(headings, views::TextTable::Last::cut);
  for (const LiveJob& job : jobs) {
    std::vector<std::string> cells{job.name,
                                   or_dash(job.queue),
                                   to_string(job.state),
                                   job.phase,
                                   position_text(job.line),
                                   or_dash(starts_text(job, now)),
                                   placed_text(job),
                                   age_text(now - job.created),
                                   or_dash(job.message.empty() ? job.reason : job.message)};
    if (has_namespaces) cells.insert(cells.begin(), job.name_space);
    table.add(std::move(cells));
  }
  return table.render(style);
}

std::string remedy_of(const LiveJob& job) {
  if (job.state == JobState::foreign) {
    return "Set spec.schedulerName of its pods to Berth's. If \"" + job.scheduler +
           "\" is Berth's, give --scheduler " + job.scheduler + ".";
  }
  if (job.state != JobState::waits) return "";
  const auto reason = reason_of(job.reason);
  return reason ? std::string(remedy(*reason)) : "";
}

std::string why_text(const LiveJob& job, TimePoint now, const views::TextStyle& style) {
  views::TextTable table({"  state", printable(state_text(job, now))});
  const auto say = [&](const char* what, const std::string& text) {
    if (!text.empty()) table.add({std::string("  ") + what, text});
  };
  say("because", job.message.empty() ? job.reason : job.message);
  if (!job.message.empty()) say("reason", job.reason);
  say("queue", queue_text(job));
  if (job.state == JobState::waits && job.line.position) {
    const std::string start = start_sentence(job.start, now);
    say("start", start.empty() ? "not known: see docs/forecast.md" : start);
  }
  say("pods", pods_text(job));
  say("time limit", limit_text(job));
  say("deadline", deadline_text(job));
  if (job.is_target) say("target", job.target.empty() ? "nodes are kept for it" : job.target);
  say("ignored", job.ignored);
  say("helps", remedy_of(job));
  for (const std::string& line : event_lines(job, now)) say("event", line);
  return title(job) + "\n" + table.render({.bold_headings = false, .width = style.width});
}

}  // namespace berth::tools
