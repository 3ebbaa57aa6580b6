#include <CLI/CLI.hpp>
#include <memory>

#include "tools/command.h"
#include "tools/flags.h"
#include "views/document_head.h"

namespace berth::tools {

Command add_version(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("version", "Prints the version.");
  const auto output = std::make_shared<std::optional<std::string>>();
  command->add_option("-o,--output", *output, "Form of the answer; default: table")
      ->type_name("table|json");
  return {command, [output](Console& console) {
            const Result<Form> form = read_form(output->value_or("table"), console);
            if (!form) return complain(form.error(), console);
            if (*form != Form::json) return finish("berth " BERTH_VERSION "\n", console);
            using Json = nlohmann::ordered_json;
            Json json = views::document_of_kind("Version");
            json["name"] = "berth";
            json["version"] = BERTH_VERSION;
            return finish(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", console);
          }};
}

}  // namespace berth::tools
