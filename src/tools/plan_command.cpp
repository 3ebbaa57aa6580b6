#include <CLI/CLI.hpp>
#include <memory>

#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report_rows.h"
#include "tools/report_text.h"
#include "tools/what_if/changed_plan.h"
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

int run_changed(const PlanFlags& flags, const std::string& explain, Form form, Console& console) {
  Result<ChangedPlan> plans = plan_changed(flags.planning, flags.what_if, explain, console);
  if (!plans) return complain(plans.error(), console);
  for (simulation::Report* const report : {&plans->with, &plans->before}) {
    const Status kept = keep_rows(*report, flags.rows);
    if (!kept) return complain(kept.error(), console);
  }
  const PlanDifference difference =
      difference_of(plans->with, plans->before, flags.what_if.texts());
  if (form == Form::json) return finish(report_json(plans->with, &difference), console);
  const views::TextStyle style = style_of(form, console);
  return finish(difference_table(difference, style) + "\n" +
                    report_table(plans->with, style, flags.rows.sort),
                console);
}

int run(const PlanFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  if (const Status known = check_sort(flags.rows.sort, kPlanOrders); !known) {
    return complain(known.error(), console);
  }
  const bool is_short = flags.explain.find('/') == std::string::npos;
  const bool has_namespace = !flags.rows.name_space.empty() && !flags.explain.empty() && is_short;
  const std::string explain = (has_namespace ? flags.rows.name_space + "/" : "") + flags.explain;
  if (!flags.what_if.is_empty()) return run_changed(flags, explain, *form, console);
  Result<simulation::Report> report = plan_manifests(flags.planning, explain, console);
  if (!report) return complain(report.error(), console);
  if (const Status kept = keep_rows(*report, flags.rows); !kept) {
    return complain(kept.error(), console);
  }
  if (*form == Form::json) return finish(report_json(*report), console);
  return finish(report_table(*report, style_of(*form, console), flags.rows.sort), console);
}

}  // namespace

Command add_plan(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("plan", kPlanHelp);
  const auto flags = std::make_shared<PlanFlags>();
  command->footer(kPlanMore);
  declare_planning(*command, flags->planning);
  command
      ->add_option("--explain", flags->explain,
                   "One job in full, or one pod of it: the jobs before it, what would let it "
                   "start, and evictions")
      ->type_name("NS/NAME");
  command
      ->add_option("-n,--namespace", flags->rows.name_space, "Only jobs and pods of this namespace")
      ->type_name("NAME");
  declare_what_if(*command, flags->what_if);
  declare_what_if_set(*command, flags->what_if);
  declare_queue(*command, flags->rows.queue);
  declare_sort(*command, flags->rows.sort, kPlanOrders);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
