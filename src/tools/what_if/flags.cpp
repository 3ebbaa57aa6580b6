#include "tools/what_if/flags.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "berth/base/text.h"
#include "tools/option.h"

namespace berth::tools {

namespace {

constexpr std::int32_t kAddedMost = 10'000;

void declare(CLI::App& command, const char* flag, std::vector<std::string>& values,
             const char* type, const std::string& help) {
  add_option(command, flag, values, type, help + " May be repeated");
}

}  // namespace

std::vector<std::string> WhatIf::texts() const {
  std::vector<std::string> texts;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) texts.push_back(fmt::format("{} {}", flag, value));
  };
  add(kAddNodes, add_nodes);
  add(kRemoveNode, remove_nodes);
  add(kDrain, drains);
  add(kCordon, cordons);
  add(kWithoutJob, without_jobs);
  add(kTimeLimit, time_limits);
  add("--set", set);
  return texts;
}

void declare_what_if(CLI::App& command, WhatIf& flags) {
  declare(command, kAddNodes, flags.add_nodes, "N:like=NODE",
          "What if there were so many nodes more, like one of them? From a time on: "
          "2:like=n1@+2h.");
  declare(command, kRemoveNode, flags.remove_nodes, "NODE",
          "What if this node were gone? Its pods wait again.");
  declare(command, kDrain, flags.drains, "NODE@TIME",
          "What if this node were gone from a time on, such as n1@+2h? Its pods wait again then.");
  declare(command, kCordon, flags.cordons, "NODE", "What if nothing more started on this node?");
  declare(command, kWithoutJob, flags.without_jobs, "NS/NAME",
          "What if this job were not there, waiting or running?");
}

void declare_what_if_limits(CLI::App& command, WhatIf& flags) {
  declare(command, kTimeLimit, flags.time_limits, "NS/NAME=TIME",
          "What if this job's time limit were so?");
}

void declare_what_if_set(CLI::App& command, WhatIf& flags) {
  declare(command, "--set", flags.set, "plugins.NAME.ARGUMENT=VALUE",
          "What if an argument of a plugin or an action were so?");
}

Result<TimePoint> read_time_from(const std::string& text, TimePoint now, const char* flag) {
  if (text.starts_with('+')) {
    const auto later = parse_duration(text.substr(1));
    if (later && *later >= Duration() && *later <= kLongestTime) return now + *later;
  } else if (const Result<TimePoint> at = parse_time(text); at) {
    if (*at >= now) return *at;
    return Error{
        fmt::format("{} is before {}, expected a time from then on", text, format_time(now)), flag};
  }
  return Error{
      fmt::format("\"{}\" is no time, expected one such as +2h or 2026-11-28T12:00:00Z", text),
      flag};
}

Result<TimedNode> read_timed_node(const std::string& text, TimePoint now, const char* flag) {
  const std::size_t at = text.find('@');  // no name of a node has one
  TimedNode node{text.substr(0, at), {}};
  if (node.name.empty()) {
    return Error{fmt::format("\"{}\" is not understood, expected NODE or NODE@TIME", text), flag};
  }
  if (at == std::string::npos) return node;
  const Result<TimePoint> time = read_time_from(text.substr(at + 1), now, flag);
  if (!time) return time.error();
  if (*time > now) node.at = *time;
  return node;
}

Result<NewNodes> read_new_nodes(const std::string& text, TimePoint now) {
  NewNodes nodes;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, nodes.count);
  constexpr std::string_view kLike = ":like=";
  const std::string_view after(rest, static_cast<std::size_t>(end - rest));
  const bool is_number = fault == std::errc{} && nodes.count >= 1 && nodes.count <= kAddedMost;
  if (!is_number || !after.starts_with(kLike) || after.size() == kLike.size()) {
    return Error{
        fmt::format("\"{}\" is not understood, expected NUMBER:like=NODE, at most {} nodes", text,
                    kAddedMost),
        kAddNodes};
  }
  Result<TimedNode> like = read_timed_node(std::string(after.substr(kLike.size())), now, kAddNodes);
  if (!like) return like.error();
  nodes.like = *std::move(like);
  return nodes;
}

}  // namespace berth::tools
