#include "tools/reservations_command.h"

#include <utility>

#include "views/reservation_document.h"
#include "views/reservations_text.h"

namespace berth::tools {

namespace {

using views::ReservationTable;

Result<ReservationTable> get_table(const ReservationsFlags& flags, Console& console) {
  if (flags.planning.cluster.empty()) {
    Result<ServerDocument> document = ask_server(flags.server, "/reservations");
    if (!document) return document.error();
    return views::read_reservation_table(std::move(document->text), document->where);
  }
  if (!flags.server.url.empty()) {
    return Error{"given together with --cluster, expected one of them", "--server"};
  }
  Result<simulation::Report> report = plan_manifests(flags.planning, "", console);
  if (!report) return report.error();
  return std::move(report->cycles.back().reservations);
}

}  // namespace

int run_reservations(const ReservationsFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const Result<ReservationTable> table = get_table(flags, console);
  if (!table) return complain(table.error(), console);
  if (*form == Form::json) return finish(views::write_reservation_table(*table), console);
  return finish(views::reservations_text(*table, console.out_is_terminal && console.may_style),
                console);
}

}  // namespace berth::tools
