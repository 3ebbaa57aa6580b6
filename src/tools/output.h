#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "tools/console.h"
#include "views/text_table.h"

// How a command prints its result.

namespace berth::tools {

enum class Form : std::uint8_t { table, wide, json };

// `given` is the value of -o. Absent: a table on a terminal, else JSON.
Result<Form> read_form(const std::optional<std::string>& given, const Console& console);

// Of a table in this form.
views::TextStyle style_of(Form form, const Console& console);

// A message on `err`, its lines without control characters: others write names and messages.
void say(const std::string& text, std::ostream& err);
// Writes a command's result and returns the exit code.
int finish(const std::string& text, Console& console);

}  // namespace berth::tools
