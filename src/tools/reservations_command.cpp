#include <algorithm>
#include <memory>
#include <utility>

#include "berth/base/text.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "views/reservation_document.h"
#include "views/reservations_text.h"

namespace berth::tools {

namespace {

using views::ReservationTable;

constexpr const char* kReservationsHelp =
    "Shows the jobs that nodes are kept for, these nodes, and the cost.";

constexpr const char* kReservationsMore =
    "Asks a running berthd. With --cluster, runs sessions on manifests, as berth plan does, and\n"
    "shows the reservations after the last one.\n"
    "\n"
    "Examples:\n"
    "  kubectl -n berth-system port-forward deployment/berth 8892 &\n"
    "  berth reservations\n"
    "  berth reservations --cluster docs/examples/reservation --cycles 60\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 1 an internal error.";

constexpr const char* kReservationsOrders = "elected|waits|priority|name|queue";

struct ReservationsFlags {
  PlanningFlags planning;
  ServerFlags server;
  RowFlags rows;
  std::optional<std::string> output;
};

Result<ReservationTable> get_table(const ReservationsFlags& flags, Console& console) {
  if (flags.planning.cluster.empty()) {
    Result<ServerDocument> document = ask_server(flags.server, "/reservations");
    if (!document) return document.error();
    return views::read_reservation_table(std::move(document->text), document->where);
  }
  if (flags.server.is_asked()) {
    return Error{"given together with --cluster, expected one of them", "--server"};
  }
  Result<simulation::Report> report = plan_manifests(flags.planning, "", console);
  if (!report) return report.error();
  return std::move(report->cycles.back().reservations);
}

bool is_before(const ReservationTable::Row& left, const ReservationTable::Row& right,
               const std::string& order) {
  if (order == "waits" && left.waits_since != right.waits_since) {
    return left.waits_since < right.waits_since;
  }
  if (order == "priority" && left.priority != right.priority) {
    return left.priority > right.priority;
  }
  if (order == "queue" && left.queue != right.queue) {
    return natural_compare(left.queue, right.queue) < 0;
  }
  return natural_compare(left.job, right.job) < 0;
}

// The costs below the table stay those of all.
void keep_rows(std::vector<ReservationTable::Row>& rows, const RowFlags& flags) {
  std::erase_if(rows, [&](const ReservationTable::Row& row) {
    const bool is_elsewhere =
        !flags.name_space.empty() && split_name(row.job).first != flags.name_space;
    return is_elsewhere || (!flags.queue.empty() && row.queue != flags.queue);
  });
  if (flags.sort.empty() || flags.sort == "elected") return;
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& left, const auto& right) {
    return is_before(left, right, flags.sort);
  });
}

Result<int> run(const ReservationsFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  if (const Status known = check_sort(flags.rows.sort, kReservationsOrders); !known) {
    return known.error();
  }
  Result<ReservationTable> table = get_table(flags, console);
  if (!table) return table.error();
  keep_rows(table->rows, flags.rows);
  if (*form == Form::json) return finish(views::write_reservation_table(*table), console);
  return finish(views::reservations_text(*table, style_of(*form, console)), console);
}

}  // namespace

Command add_reservations(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("reservations", kReservationsHelp);
  const auto flags = std::make_shared<ReservationsFlags>();
  command->footer(kReservationsMore);
  declare_server(*command, flags->server);
  add_option(*command, "-n,--namespace", flags->rows.name_space, "NAME",
             "Only jobs of this namespace");
  declare_queue(*command, flags->rows.queue);
  declare_sort(*command, flags->rows.sort, kReservationsOrders);
  declare_planning(*command, flags->planning);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
