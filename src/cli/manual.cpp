#include "cli/manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "berth/base/text.h"
#include "cli/arguments.h"

namespace berth::cli {

namespace {

// A line of text that roff does not take for a request.
std::string escaped(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c == '\\' || c == '-') text += '\\';
    text += c == '\\' ? 'e' : c;
  }
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Paragraphs stand between empty lines.
std::vector<std::vector<std::string>> paragraphs_of(const std::string& text) {
  std::vector<std::vector<std::string>> paragraphs(1);
  for (std::string& line : lines_of(text)) {
    if (!line.empty()) {
      paragraphs.back().push_back(std::move(line));
    } else if (!paragraphs.back().empty()) {
      paragraphs.emplace_back();
    }
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string flowing(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += escaped(std::string(trimmed(line))) + "\n";
  return text;
}

std::string as_written(const std::vector<std::string>& lines) {
  std::string text = ".nf\n";
  for (const std::string& line : lines) text += escaped(line) + "\n";
  return text + ".fi\n";
}

std::string synopsis(const CLI::App& command) {
  std::string text = ".SH SYNOPSIS\n.B " + escaped(full_name(command)) + "\n";
  text += visible_commands(command).empty() ? "[\\fIOPTION\\fR]...\n"
                                            : "\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
  for (const CLI::Option* const each : command.get_options()) {
    if (!each->get_positional()) continue;
    const std::string name = "\\fI" + escaped(each->get_name(true, false)) + "\\fR";
    text += (each->get_required() ? name : "[" + name + "]") + "\n";
  }
  return text;
}

std::string options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const each : command.get_options()) {
    if (!each->nonpositional() || each->get_group().empty()) continue;
    std::string names;
    for (const std::string& name : each->get_snames())
      names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : each->get_lnames())
      names += (names.empty() ? "--" : ", --") + name;
    text += ".TP\n\\fB" + escaped(names) + "\\fR";
    if (each->get_items_expected_max() > 0)
      text += " \\fI" + escaped(each->get_type_name()) + "\\fR";
    text += "\n" + flowing(lines_of(each->get_description()));
  }
  return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

std::string subcommands(const CLI::App& command) {
  std::string text;
  for (const CLI::App* const each : visible_commands(command)) {
    text += ".TP\n\\fB" + escaped(each->get_name()) + "\\fR\n" +
            flowing(lines_of(each->get_description()));
  }
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

// The footer of --help, taken apart by its headings.
struct Sections {
  std::string description;
  std::string examples;
  std::string exit_status;
};

Sections sections_of(const std::string& footer) {
  Sections sections;
  bool is_example = false;
  for (std::vector<std::string> lines : paragraphs_of(footer)) {
    if (lines.front().starts_with("Exit status:")) {
      is_example = false;
      lines.front().erase(0, std::string("Exit status:").size());
      sections.exit_status += flowing(lines);
    } else if (lines.front().starts_with("Examples:") || is_example) {
      if (!is_example) lines.erase(lines.begin());
      is_example = true;
      sections.examples += as_written(lines);
    } else {
      sections.description += ".PP\n" + flowing(lines);
    }
  }
  return sections;
}

std::string section(const char* heading, const std::string& text) {
  return text.empty() ? "" : ".SH " + std::string(heading) + "\n" + text;
}

// The first sentence: "Shows the jobs. More." -> "shows the jobs"
std::string summary(const CLI::App& command) {
  const auto paragraphs = paragraphs_of(command.get_description());
  std::string text;
  if (!paragraphs.empty()) {
    for (const std::string& line : paragraphs.front()) text += (text.empty() ? "" : " ") + line;
  }
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.')) text.pop_back();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& command, int section_number, const std::string& see_also) {
  const std::string name = hyphenated(full_name(command));
  const Sections footer = sections_of(command.get_footer());
  std::string about;
  for (const auto& lines : paragraphs_of(command.get_description())) {
    about += (about.empty() ? "" : ".PP\n") + flowing(lines);
  }
  return ".TH " + upper(name) + " " + std::to_string(section_number) +
         " \"\" \"berth " BERTH_VERSION "\" \"Berth\"\n" + ".SH NAME\n" + escaped(name) + " \\- " +
         escaped(summary(command)) + "\n" + synopsis(command) +
         section("DESCRIPTION", about + footer.description) + subcommands(command) +
         options(command) + section("EXAMPLES", footer.examples) +
         section("EXIT STATUS", footer.exit_status) + section("SEE ALSO", escaped(see_also) + "\n");
}

}  // namespace berth::cli
