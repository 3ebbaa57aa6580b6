#include "tools/plan_command.h"

#include "tools/report_text.h"

namespace berth::tools {

int run_plan(const PlanFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const Result<simulation::Report> report = plan_manifests(flags.planning, flags.explain, console);
  if (!report) return complain(report.error(), console);
  if (*form == Form::json) return finish(report_json(*report), console);
  const TableStyle style{.bold_headings = console.out_is_terminal && console.may_style};
  return finish(report_table(*report, style), console);
}

}  // namespace berth::tools
