#include "tools/flags.h"

#include <algorithm>

#include "berth/base/text.h"
#include "tools/option.h"

namespace berth::tools {

void declare_cluster(CLI::App& command, PlanningFlags& flags) {
  add_option(command, "--cluster", flags.cluster, "FILE|DIR",
             "Manifests in YAML or JSON: a file, a directory with all below it, or - for "
             "standard input. May be repeated");
  add_option(command, "--config", flags.config, "FILE", "Configuration; default: the built-in one");
}

void declare_planning(CLI::App& command, PlanningFlags& flags) {
  declare_cluster(command, flags);
  add_option(command, "--cycles", flags.cycles, "N",
             "Number of sessions, one schedulePeriod apart; default: 1");
  add_option(command, "--now", flags.now, "RFC3339",
             "Time of the first session, such as 2026-11-21T09:00:00Z; default: the latest "
             "creation or start among the manifests");
}

void declare_output(CLI::App& command, std::optional<std::string>& output) {
  add_option(command, "-o,--output", output, "table|wide|json",
             "Form of the answer; default: table on a terminal, else json. A table is as wide "
             "as the terminal, with wide as wide as its texts");
}

void declare_server(CLI::App& command, ServerFlags& flags) {
  add_option(command, "--server", flags.url, "URL",
             "Ask a running berthd; without a value: http://127.0.0.1:8892")
      ->expected(0, 1)
      ->default_str(kDefaultServer);
  const auto file = [&](const char* name, std::string& into, const char* help) {
    add_option(command, name, into, "FILE", help);
  };
  file("--tls-ca", flags.tls_ca, "For https: the CA of berthd's certificate");
  file("--tls-cert", flags.tls_cert, "For https: the client certificate");
  file("--tls-key", flags.tls_key, "For https: the key of the client certificate");
  file("--token-file", flags.token_file,
       "For https: a bearer token, such as of kubectl create token");
}

void declare_queue(CLI::App& command, std::string& queue) {
  add_option(command, "-q,--queue", queue, "QUEUE", "Only this queue");
}

void declare_sort(CLI::App& command, std::string& sort, const std::string& keys) {
  add_option(command, "--sort", sort, keys,
             "Order of the rows; default: " + keys.substr(0, keys.find('|')));
}

void declare_schedulers(CLI::App& command, std::vector<std::string>& names) {
  add_option(command, "--scheduler", names, "NAME",
             "A schedulerName of Berth's pods; may be repeated; default: the built-in "
             "configuration's")
      ->allow_extra_args(false);
}

Status check_sort(const std::string& sort, const std::string& keys) {
  const std::vector<std::string> known = split_list(keys, '|');
  if (sort.empty() || std::find(known.begin(), known.end(), sort) != known.end()) return Done{};
  return Error{"\"" + sort + "\" is no order" + suggestion(sort, known), "--sort"};
}

}  // namespace berth::tools
