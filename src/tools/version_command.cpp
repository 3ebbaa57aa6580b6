#include <memory>

#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "views/document_head.h"

namespace berth::tools {

Command add_version(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("version", "Prints the version.");
  const auto output = std::make_shared<std::optional<std::string>>();
  add_option(*command, "-o,--output", *output, "table|json", "Form of the answer; default: table");
  return {command, [output](Console& console) -> Result<int> {
            const Result<Form> form = read_form(output->value_or("table"), console);
            if (!form) return form.error();
            if (*form != Form::json) return finish("berth " BERTH_VERSION "\n", console);
            nlohmann::ordered_json json = views::document_of_kind("Version");
            json["name"] = "berth";
            json["version"] = BERTH_VERSION;
            return finish(views::document_text(json), console);
          }};
}

}  // namespace berth::tools
