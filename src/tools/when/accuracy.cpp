#include "tools/when/accuracy.h"

#include <fmt/format.h>

#include "berth/base/text.h"
#include "tools/live/live_text.h"
#include "views/start_document.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

std::string share_text(std::int64_t part, std::int64_t of) {
  return of == 0 ? std::to_string(part) : fmt::format("{} ({} %)", part, 100 * part / of);
}

std::string accuracy_text(const views::StartTable& table, const views::TextStyle& style) {
  const views::ForecastAccuracy& its = table.accuracy;
  views::TextTable text({"started, after a wait", std::to_string(its.jobs)});
  text.add({"when it was likely", share_text(its.inside, its.jobs)});
  text.add({"earlier", share_text(its.earlier, its.jobs)});
  text.add({"later", share_text(its.later, its.jobs)});
  text.add({"median error", its.jobs == 0 ? "-" : age_text(its.median_error)});
  text.add({"promised starts", std::to_string(its.promises)});
  text.add({"promises broken", std::to_string(its.broken)});
  text.add({"known run times", std::to_string(table.learned_keys)});
  text.add({"last planned", format_time(std::chrono::floor<std::chrono::seconds>(table.made_at))});
  return text.render({.bold_headings = false, .width = style.width});
}

}  // namespace

int show_accuracy(const ServerFlags& server, Form form, Console& console) {
  const Result<ServerDocument> document = ask_server(server, "/starts");
  if (!document) return complain(document.error(), console);
  const Result<views::StartTable> table = views::read_start_table(document->text, document->where);
  if (!table) return complain(table.error(), console);
  if (form == Form::json) return finish(document->text, console);
  return finish(accuracy_text(*table, style_of(form, console)), console);
}

}  // namespace berth::tools
