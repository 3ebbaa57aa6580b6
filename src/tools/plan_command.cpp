#include <memory>
#include <utility>

#include "simulation/simulation.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "tools/report_rows.h"
#include "tools/report_text.h"
#include "tools/what_if/changes.h"
#include "tools/what_if/plan_difference.h"

namespace berth::tools {

namespace {

constexpr const char* kPlanHelp =
    "Shows where a session would place the pods of manifests, and why others wait.";

constexpr const char* kPlanMore =
    "Reads Node, Pod, PodGroup, Queue, PriorityClass and Namespace objects; other kinds\n"
    "are counted and ignored. Plans are carried out on a copy: bound pods run, and end after the\n"
    "time in their annotation berth.dev/run-time; evicted pods are gone in the next cycle. The\n"
    "same input gives the same output. With changes (--add-nodes, --remove-node, --drain, "
    "--cordon,\n"
    "--without-job, --set) the plan is that with them, and its difference from the one without.\n"
    "\n"
    "Examples:\n"
    "  berth plan --cluster docs/examples/first-gang\n"
    "  berth plan --cluster docs/examples/first-gang --explain ml/big-model\n"
    "  kubectl get nodes,pods,podgroups,queues,priorityclasses,namespaces,pdb -A -o json |\n"
    "    berth plan --cluster - --config new.yaml --cycles 10 -o json\n"
    "  berth plan --cluster now.json --add-nodes 2:like=n1 --without-job ml/big-model\n"
    "\n"
    "Exit status: 0 there is a plan, 2 bad input (with file:line:column), 1 an internal error.";

constexpr const char* kPlanOrders = "priority|name|queue";

struct PlanFlags {
  PlanningFlags planning;
  WhatIf what_if;
  RowFlags rows;
  std::string explain;
  std::optional<std::string> output;
};

struct ChangedPlan {
  simulation::Report with;    // explained
  simulation::Report before;  // without the changes
};

// As plan_manifests(), with the changes and without.
Result<ChangedPlan> plan_changed(const PlanningFlags& flags, const WhatIf& changes,
                                 const std::string& explain, Console& console) {
  const Result<PlanInput> input = read_plan_input(flags, console);
  if (!input) return input.error();
  PlanInput with = *input;
  Result<conf::Config> config = changed_config(input->cluster.config, changes);
  if (!config) return config.error();
  with.cluster.config = *std::move(config);
  std::vector<ClusterEvent>& objects = with.cluster.objects;
  const TimePoint now = simulation::date_new_objects(with.now, objects);
  with.now = now;
  if (const Status left = leave_out_jobs(changes, with.cluster.config, now, objects); !left) {
    return left.error();
  }
  auto later = change_nodes(changes, with.cluster.config.scheduler_names, now, objects);
  if (!later) return later.error();
  with.later = *std::move(later);
  Result<simulation::Report> before = plan_input(*input, "", console);
  if (!before) return before.error();
  Result<simulation::Report> report = plan_input(std::move(with), explain, console);
  if (!report) return report.error();
  note_report(*report, console.err);
  return ChangedPlan{*std::move(report), *std::move(before)};
}

Result<int> run_changed(const PlanFlags& flags, const std::string& explain, Form form,
                        Console& console) {
  Result<ChangedPlan> plans = plan_changed(flags.planning, flags.what_if, explain, console);
  if (!plans) return plans.error();
  for (simulation::Report* const report : {&plans->with, &plans->before}) {
    const Status kept = keep_rows(*report, flags.rows);
    if (!kept) return kept.error();
  }
  const PlanDifference difference =
      difference_of(plans->with, plans->before, flags.what_if.texts());
  if (form == Form::json) return finish(report_json(plans->with, &difference), console);
  const views::TextStyle style = style_of(form, console);
  return finish(difference_table(difference, style) + "\n" +
                    report_table(plans->with, style, flags.rows.sort),
                console);
}

Result<int> run(const PlanFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  if (const Status known = check_sort(flags.rows.sort, kPlanOrders); !known) return known.error();
  const bool is_short = flags.explain.find('/') == std::string::npos;
  const bool has_namespace = !flags.rows.name_space.empty() && !flags.explain.empty() && is_short;
  const std::string explain = (has_namespace ? flags.rows.name_space + "/" : "") + flags.explain;
  if (!flags.what_if.is_empty()) return run_changed(flags, explain, *form, console);
  Result<simulation::Report> report = plan_manifests(flags.planning, explain, console);
  if (!report) return report.error();
  if (const Status kept = keep_rows(*report, flags.rows); !kept) return kept.error();
  if (*form == Form::json) return finish(report_json(*report), console);
  return finish(report_table(*report, style_of(*form, console), flags.rows.sort), console);
}

}  // namespace

Command add_plan(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("plan", kPlanHelp);
  const auto flags = std::make_shared<PlanFlags>();
  command->footer(kPlanMore);
  declare_planning(*command, flags->planning);
  add_option(*command, "--explain", flags->explain, "NS/NAME",
             "One job in full, or one pod of it: the jobs before it, what would let it "
             "start, and evictions");
  add_option(*command, "-n,--namespace", flags->rows.name_space, "NAME",
             "Only jobs and pods of this namespace");
  declare_what_if(*command, flags->what_if);
  declare_what_if_set(*command, flags->what_if);
  declare_queue(*command, flags->rows.queue);
  declare_sort(*command, flags->rows.sort, kPlanOrders);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
