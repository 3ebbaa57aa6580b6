#include "tools/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "berth/base/text.h"

namespace berth::tools {

void declare_cluster(CLI::App& command, PlanningFlags& flags) {
  command
      .add_option("--cluster", flags.cluster,
                  "Manifests in YAML or JSON: a file, a directory with all below it, or - for "
                  "standard input. May be repeated")
      ->type_name("FILE|DIR");
  command.add_option("--config", flags.config, "Configuration; default: the built-in one")
      ->type_name("FILE");
}

void declare_planning(CLI::App& command, PlanningFlags& flags) {
  declare_cluster(command, flags);
  command
      .add_option("--cycles", flags.cycles,
                  "Number of sessions, one schedulePeriod apart; default: 1")
      ->type_name("N");
  command
      .add_option("--now", flags.now,
                  "Time of the first session, such as 2026-11-21T09:00:00Z; default: the latest "
                  "creation or start among the manifests")
      ->type_name("RFC3339");
}

void declare_output(CLI::App& command, std::optional<std::string>& output) {
  command
      .add_option("-o,--output", output,
                  "Form of the answer; default: table on a terminal, else json. A table is as wide "
                  "as the terminal, with wide as wide as its texts")
      ->type_name("table|wide|json");
}

void declare_server(CLI::App& command, ServerFlags& flags) {
  command
      .add_option("--server", flags.url,
                  "Ask a running berthd; without a value: http://127.0.0.1:8892")
      ->type_name("URL")
      ->expected(0, 1)
      ->default_str(kDefaultServer);
  const auto file = [&](const char* name, std::string& into, const char* help) {
    command.add_option(name, into, help)->type_name("FILE");
  };
  file("--tls-ca", flags.tls_ca, "For https: the CA of berthd's certificate");
  file("--tls-cert", flags.tls_cert, "For https: the client certificate");
  file("--tls-key", flags.tls_key, "For https: the key of the client certificate");
  file("--token-file", flags.token_file,
       "For https: a bearer token, such as of kubectl create token");
}

void declare_queue(CLI::App& command, std::string& queue) {
  command.add_option("-q,--queue", queue, "Only this queue")->type_name("QUEUE");
}

void declare_sort(CLI::App& command, std::string& sort, const std::string& keys) {
  command
      .add_option("--sort", sort, "Order of the rows; default: " + keys.substr(0, keys.find('|')))
      ->type_name(keys);
}

void declare_schedulers(CLI::App& command, std::vector<std::string>& names) {
  command
      .add_option("--scheduler", names,
                  "A schedulerName of Berth's pods; may be repeated; default: the built-in "
                  "configuration's")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

Status check_sort(const std::string& sort, const std::string& keys) {
  const std::vector<std::string> known = split_list(keys, '|');
  if (sort.empty() || std::find(known.begin(), known.end(), sort) != known.end()) return Done{};
  return Error{"\"" + sort + "\" is no order" + suggestion(sort, known), "--sort"};
}

}  // namespace berth::tools
