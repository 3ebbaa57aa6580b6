#include "cli/completion.h"

#include <CLI/CLI.hpp>

#include "cli/arguments.h"

namespace berth::cli {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

class Completer {
 public:
  Completer(const std::string& word, const NameSource& names) : word_(word), names_(names) {}

  void add(const std::string& candidate, const std::string& help) {
    if (candidate.starts_with(word_)) found_.candidates.push_back({candidate, first_line(help)});
  }

  void add_values(const CLI::Option& option, const std::string& before = {}) {
    for (const std::string& value : values_of(option)) add(before + value, "");
    found_.is_file = takes_files(option);
    if (!names_ || found_.is_file || !values_of(option).empty()) return;
    for (const std::string& name : names_(option.get_type_name())) add(before + name, "");
  }

  void add_flags(const CLI::App& command) {
    for (const CLI::Option* const option : command.get_options()) {
      if (!option->nonpositional() || option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        add("--" + name, option->get_description());
      }
    }
  }

  // The positional number `index`; the last one may repeat.
  void add_positional(const CLI::App& command, std::size_t index) {
    const auto all =
        command.get_options([](const CLI::Option* each) { return each->get_positional(); });
    if (index < all.size()) add_values(*all[index]);
  }

  Completion take() { return std::move(found_); }

 private:
  const std::string& word_;
  const NameSource& names_;
  Completion found_;
};

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const NameSource& names) {
  if (words.empty()) return {};
  const CLI::App* command = &app;
  const CLI::Option* asks = nullptr;  // the flag before, whose value comes next
  std::size_t positionals = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (asks != nullptr) {
      asks = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* const option =
          command->get_option_no_throw(word.substr(0, word.find('=')));
      const bool is_open = option != nullptr && word.find('=') == std::string::npos;
      asks = is_open && takes_value(*option) ? option : nullptr;
    } else if (command == &app && command_named(app, word) != nullptr) {
      command = command_named(app, word);
    } else {
      ++positionals;
    }
  }
  const std::string& word = words.back();
  Completer completer(word, names);
  const std::size_t sign = word.find('=');
  if (asks != nullptr) {
    completer.add_values(*asks);
  } else if (word.starts_with('-') && sign != std::string::npos) {
    const CLI::Option* const option = command->get_option_no_throw(word.substr(0, sign));
    if (option != nullptr) completer.add_values(*option, word.substr(0, sign + 1));
  } else if (word.starts_with('-')) {
    completer.add_flags(*command);
  } else if (command == &app || command->get_name() == "help") {
    for (const CLI::App* each : visible_commands(app)) {
      completer.add(each->get_name(), each->get_description());
    }
  } else {
    completer.add_positional(*command, positionals);
  }
  return completer.take();
}

std::string completion_lines(const Completion& completion) {
  std::string text;
  for (const auto& [word, help] : completion.candidates) {
    text += word + (help.empty() ? "" : "\t" + help) + "\n";
  }
  return text + (completion.is_file ? ":0\n" : ":4\n");
}

}  // namespace berth::cli
