#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/live/kube_flags.h"
#include "tools/live/live_queues.h"
#include "tools/option.h"
#include "tools/report_rows.h"
#include "views/queue_document.h"
#include "views/queues_text.h"

namespace berth::tools {

namespace {

using views::QueueTable;

constexpr const char* kQueuesHelp =
    "Shows the guarantee, the fair share, the use and the limit of each queue.";

constexpr const char* kQueuesMore =
    "Three sources: with --cluster, sessions on manifests, as in berth plan; with --server, a\n"
    "running berthd; else the Queue objects of the API server, by a kubeconfig. Without the right "
    "to\n"
    "list Queues, the jobs of the namespace are shown by queue. Without a kubeconfig, berthd is\n"
    "asked at http://127.0.0.1:8892.\n"
    "\n"
    "Examples:\n"
    "  kubectl berth queues\n"
    "  berth queues --resource nvidia.com/gpu --queue research\n"
    "  kubectl -n berth-system port-forward deployment/berth 8892 &\n"
    "  berth queues --server\n"
    "  berth queues --cluster docs/examples/queues -o json\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 3 a right is missing, 1 an internal error.";

constexpr const char* kQueuesOrders = "name|priority|weight";

struct QueuesFlags {
  PlanningFlags planning;
  ServerFlags server;
  KubeFlags kube;
  RowFlags rows;
  std::string resource;
  std::optional<std::string> output;
};

enum class Source { manifests, berthd, api_server };

Result<Source> source_of(const QueuesFlags& flags) {
  const bool has_manifests = !flags.planning.cluster.empty();
  const bool has_server = flags.server.is_asked();
  if (has_manifests && has_server) {
    return Error{"given together with --cluster, expected one of them", "--server"};
  }
  if ((has_manifests || has_server) && flags.kube.is_asked()) {
    return Error{"given together with " + std::string(has_server ? "--server" : "--cluster") +
                     ", expected one of them",
                 flags.kube.first_asked()};
  }
  if (has_manifests) return Source::manifests;
  return has_server || !has_access(flags.kube) ? Source::berthd : Source::api_server;
}

Result<QueueTable> ask_berthd(const QueuesFlags& flags) {
  Result<ServerDocument> document = ask_server(flags.server, "/queues");
  if (!document) return document.error();
  return views::read_queue_table(std::move(document->text), document->where);
}

Result<QueueTable> plan_queues(const QueuesFlags& flags, Console& console) {
  Result<simulation::Report> report = plan_manifests(flags.planning, "", console);
  if (!report) return report.error();
  return std::move(report->cycles.back().queues);
}

// "gpu" -> nvidia.com/gpu, which edit distance does not find. Where no node has one, it finds cpu:
// so near are all short names.
std::string resource_suggestion(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  for (const std::string& name : known) {
    if (word.size() > 1 && name.find(word) != std::string::npos) near.push_back(name);
  }
  constexpr std::size_t kShort = 3;
  if (near.empty() && word.size() <= kShort) return "; expected one of: " + first_names(known);
  if (near.empty()) return suggestion(word, known);
  return "; did you mean " + (near.size() == 1 ? "\"" + near[0] + "\"" : first_names(near)) + "?";
}

Status require_resource(const std::string& resource, const QueueTable& table) {
  std::vector<std::string> known = table.resources;
  std::sort(known.begin(), known.end());
  if (resource.empty() || std::binary_search(known.begin(), known.end(), resource)) return Done{};
  return Error{"no resource \"" + resource + "\"" + resource_suggestion(resource, known),
               "--resource"};
}

Result<int> show(QueueTable table, const QueuesFlags& flags, Form form, Console& console) {
  if (const Status known = require_resource(flags.resource, table); !known) return known.error();
  if (!flags.rows.queue.empty()) {
    if (const Status kept = keep_queue(table, flags.rows.queue); !kept) return kept.error();
  }
  sort_queues(table, flags.rows.sort);
  if (form == Form::json) return finish(views::write_queue_table(table), console);
  views::QueuesStyle style;
  style.text = style_of(form, console);
  style.is_ascii = !console.is_utf8;
  style.resource = flags.resource;
  return finish(queues_text(table, style), console);
}

Result<int> run(const QueuesFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  if (const Status known = check_sort(flags.rows.sort, kQueuesOrders); !known) return known.error();
  const Result<Source> source = source_of(flags);
  if (!source) return source.error();
  if (*source == Source::api_server) {
    return show_live_queues(flags.kube, flags.rows.queue, *form, console, [&](QueueTable table) {
      return show(std::move(table), flags, *form, console);
    });
  }
  Result<QueueTable> table =
      *source == Source::berthd ? ask_berthd(flags) : plan_queues(flags, console);
  if (!table) return table.error();
  return show(std::move(*table), flags, *form, console);
}

}  // namespace

Command add_queues(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("queues", kQueuesHelp);
  const auto flags = std::make_shared<QueuesFlags>();
  command->footer(kQueuesMore);
  declare_kube(*command, flags->kube);
  declare_server(*command, flags->server);
  add_option(*command, "--resource", flags->resource, "NAME",
             "The resource to show; default: the dominant resource of each queue");
  declare_queue(*command, flags->rows.queue);
  declare_sort(*command, flags->rows.sort, kQueuesOrders);
  declare_planning(*command, flags->planning);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
