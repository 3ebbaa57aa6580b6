#include "tools/output.h"

#include <algorithm>

#include "berth/base/printable.h"

namespace berth::tools {

Result<Form> read_form(const std::optional<std::string>& given, const Console& console) {
  if (!given) return console.out_is_terminal ? Form::table : Form::json;
  if (*given == "table") return Form::table;
  if (*given == "wide") return Form::wide;
  if (*given == "json") return Form::json;
  return Error{"\"" + *given + "\" is not an output format, expected table, wide or json", "-o"};
}

views::TextStyle style_of(Form form, const Console& console) {
  return {.bold_headings = console.out_is_terminal && console.may_style,
          .width = form == Form::table ? console.columns : 0};
}

void say(const std::string& text, std::ostream& err) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    err << printable(std::string_view(text).substr(begin, end - begin)) << "\n";
    begin = end + 1;
  }
}

int finish(const std::string& text, Console& console) {
  console.out << text << std::flush;
  if (console.out) return kExitDone;
  console.err << "standard output: cannot be written\n";
  return kExitInternal;
}

}  // namespace berth::tools
