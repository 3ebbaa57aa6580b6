#include "tools/queues_command.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "views/queue_document.h"
#include "views/queues_text.h"

namespace berth::tools {

namespace {

using views::QueueTable;

Result<QueueTable> get_table(const QueuesFlags& flags, Console& console) {
  if (flags.planning.cluster.empty()) {
    Result<ServerDocument> document = ask_server(flags.server, "/queues");
    if (!document) return document.error();
    return views::read_queue_table(std::move(document->text), document->where);
  }
  if (!flags.server.url.empty()) {
    return Error{"given together with --cluster, expected one of them", "--server"};
  }
  Result<simulation::Report> report = plan_manifests(flags.planning, "", console);
  if (!report) return report.error();
  return std::move(report->cycles.back().queues);
}

Status require_resource(const std::string& resource, const QueueTable& table) {
  std::vector<std::string> known = table.resources;
  std::sort(known.begin(), known.end());
  if (resource.empty() || std::binary_search(known.begin(), known.end(), resource)) return Done{};
  return Error{"no resource \"" + resource + "\"" + suggestion(resource, known), "--resource"};
}

}  // namespace

int run_queues(const QueuesFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const Result<QueueTable> table = get_table(flags, console);
  if (!table) return complain(table.error(), console);
  if (const Status known = require_resource(flags.resource, *table); !known) {
    return complain(known.error(), console);
  }
  if (*form == Form::json) return finish(views::write_queue_table(*table), console);
  views::QueuesStyle style;
  style.bold_headings = console.out_is_terminal && console.may_style;
  style.is_ascii = !console.is_utf8;
  style.resource = flags.resource;
  return finish(queues_text(*table, style), console);
}

}  // namespace berth::tools
