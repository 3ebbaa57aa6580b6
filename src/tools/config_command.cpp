#include "tools/config_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "conf/default_config.h"
#include "document/readers.h"
#include "engine/scheduler.h"
#include "kube/files.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "views/document_head.h"

namespace berth::tools {

Result<conf::Config> open_config(const std::string& file) {
  if (file.empty()) {
    return read_config(std::string(conf::default_config_text()), "the built-in default");
  }
  const Result<std::string> text = kube::read_file(file);
  if (!text) return text.error();
  return read_config(*text, file);
}

Result<conf::Config> read_config(const std::string& text, const std::string& source) {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  Result<conf::Config> config = conf::load_config(text, source, known);
  if (!config) return config.error();
  if (const auto scheduler = engine::Scheduler::create(config->session); !scheduler) {
    return scheduler.error();
  }
  return config;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kConfigHelp = "Checks a configuration, or shows the default.";

constexpr const char* kConfigMore =
    "Examples:\n"
    "  berth config --default > berth.yaml\n"
    "  berth config --check berth.yaml\n"
    "\n"
    "Exit status: 0 the configuration would be accepted, 2 it would not, 1 an internal error.";

struct ConfigFlags {
  std::string check;  // file
  bool show_default = false;
  std::optional<std::string> output;
};

// Settings that have no effect in any cluster: plugins report them for an empty one.
std::vector<std::string> notes_on(const conf::Config& config) {
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(config.session);
  if (!scheduler) return {};
  Cluster cluster;
  return scheduler->run(cluster, TimePoint()).notes;
}

// A document as JSON; its numbers stay as they are written.
Json json_of(const document::Value& value) {
  switch (value.kind) {
    case document::Kind::null:
      return nullptr;
    case document::Kind::boolean:
      return value.truth;
    case document::Kind::number: {
      Json number = Json::parse(value.text, nullptr, false);
      return number.is_number() ? number : Json(value.text);
    }
    case document::Kind::string:
      return value.text;
    case document::Kind::list: {
      Json list = Json::array();
      for (const document::Value& item : value.items) list.push_back(json_of(item));
      return list;
    }
    case document::Kind::map: {
      Json map = Json::object();
      for (const document::Member& member : value.members) map[member.key] = json_of(member.value);
      return map;
    }
  }
  return nullptr;
}

Result<int> show_default(bool is_json, Console& console) {
  if (!is_json) return finish(std::string(conf::default_config_text()), console);
  const auto value = document::parse_yaml(conf::default_config_text(), "the built-in default");
  if (!value) return value.error();
  Json json = views::document_of_kind("Configuration");
  json["configuration"] = json_of(*value);
  return finish(views::document_text(json), console);
}

Result<int> check(const std::string& file, bool is_json, Console& console) {
  const Result<conf::Config> config = open_config(file);
  std::vector<std::string> warnings;
  if (config) {
    warnings = config->warnings;
    for (std::string& note : notes_on(*config)) warnings.push_back(std::move(note));
  }
  if (is_json) {
    Json json = views::document_of_kind("ConfigurationCheck");
    json["file"] = file;
    json["accepted"] = config.has_value();
    json["error"] = config ? Json(nullptr) : Json(config.error().to_string());
    json["warnings"] = warnings;
    const int code = finish(views::document_text(json), console);
    return config || code != kExitDone ? code : kExitBadInput;
  }
  if (!config) return config.error();
  for (const std::string& warning : warnings) say("warning: " + warning, console.err);
  return finish(file + ": ok\n", console);
}

Result<int> run(const ConfigFlags& flags, Console& console) {
  // Off a terminal, too, the answer is text: config.yaml is what one asks for.
  const Result<Form> form = read_form(flags.output.value_or("table"), console);
  if (!form) return form.error();
  const bool is_json = *form == Form::json;
  if (flags.show_default && !flags.check.empty()) {
    return Error{"given together with --check, expected one of them", "--default"};
  }
  if (flags.show_default) return show_default(is_json, console);
  if (flags.check.empty()) {
    return Error{"missing, expected --check FILE or --default", "--check"};
  }
  return check(flags.check, is_json, console);
}

}  // namespace

Command add_config(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("config", kConfigHelp);
  const auto flags = std::make_shared<ConfigFlags>();
  command->footer(kConfigMore);
  add_option(*command, "--check", flags->check, "FILE",
             "Prints ok, or the first error with its line and column");
  command->add_flag("--default", flags->show_default,
                    "Prints the built-in configuration, to start from");
  add_option(*command, "-o,--output", flags->output, "table|json",
             "Form of the answer; default: table");
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
