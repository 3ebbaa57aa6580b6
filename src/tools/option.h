#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace berth::tools {

// Declares an option or a positional whose value is a `type`, such as "FILE".
template <class Value>
CLI::Option* add_option(CLI::App& command, const char* name, Value& value, const std::string& type,
                        const std::string& help) {
  return command.add_option(name, value, help)->type_name(type);
}

}  // namespace berth::tools
