#include "daemon/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

#include "berth/base/number.h"
#include "cli/arguments.h"
#include "cli/manual.h"

namespace berth::daemon {

namespace {

constexpr const char* kAbout =
    "Runs batch scheduling sessions and makes an unmodified kube-scheduler carry them out through\n"
    "its extender protocol.\n";

constexpr const char* kMore =
    "\nEndpoints: /plan/filter /plan/prioritize /commit/bind /guard/preempt for kube-scheduler;\n"
    "/healthz /livez /readyz /metrics /queues /reservations /configz /version for people and "
    "probes.\n"
    "\nExamples:\n"
    "  berthd --embedded docs/examples/quickstart --exit-when-settled\n"
    "      a cluster in memory, a stand-in for kube-scheduler, and the real extender between them\n"
    "  berthd --embedded manifests/ --config config/berth.yaml --listen 127.0.0.1:8890 --speed 10\n"
    "      the same with your own manifests; new files in the directory are read, too\n"
    "  berthd --kubeconfig ~/.kube/config --leader-elect=false\n"
    "      a live cluster; in a pod, without --kubeconfig, by its service account\n"
    "\n"
    "Exit status: 0 stopped, or settled; 1 it cannot run; 2 bad flags.\n";

// CLI::Range lets "nan" pass.
CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    const std::optional<double> value = parse_number<double>(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("\"{}\" is not a number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

void declare(CLI::App& app, Flags& flags) {
  app.footer(kMore);
  app.set_version_flag("--version", "berthd " BERTH_VERSION, "Print the version and exit");
  app.add_option("--embedded", flags.embedded,
                 "Serve a cluster in memory made of these manifests (files or directories)")
      ->type_name("FILE|DIR");
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "How to reach the live cluster. Default: the pod's service account")
      ->type_name("FILE")
      ->excludes("--embedded");
  app.add_option("--context", flags.context, "Context of the kubeconfig. Default: its current one")
      ->type_name("NAME")
      ->needs("--kubeconfig");
  app.add_option("--leader-elect", flags.leader_elect,
                 "Wait for the Lease before deciding anything. This and the next "
                 "three flags replace keys of the configuration")
      ->type_name("BOOL");
  app.add_option("--lease-namespace", flags.lease_namespace, "Namespace of the Lease")
      ->type_name("NAME");
  app.add_option("--kube-api-qps", flags.kube_api_qps, "Requests a second to the API server")
      ->type_name("N")
      ->check(number_between(1, 1e6));
  app.add_option("--kube-api-burst", flags.kube_api_burst, "Requests at once, after a pause")
      ->type_name("N")
      ->check(number_between(1, 1e6));
  app.add_option("--config", flags.config_file,
                 "Configuration; reloaded when it changes. Default: built in")
      ->type_name("FILE");
  app.add_option("--listen", flags.listen,
                 "Where the extender listens; port 0 lets the system choose. Default: the "
                 "configuration's")
      ->type_name("ADDRESS:PORT");
  app.add_option("--pages", flags.pages,
                 "Where metrics, probes and pages are served. Default: the configuration's, else "
                 "where the extender listens")
      ->type_name("ADDRESS:PORT");
  app.add_option("--make-view-key", flags.make_view_key,
                 "Make view.key and view.crt for steering mode view in this directory, unless "
                 "they are there, and exit")
      ->type_name("DIR");
  app.add_option("--speed", flags.speed, "Speed of the embedded cluster's clock")
      ->type_name("FACTOR")
      ->check(number_between(0.01, 10000));
  app.add_flag("--exit-when-settled", flags.exit_when_settled,
               "Exit with status 0 once every pod has a place, or with 1 after --exit-after");
  app.add_option("--exit-after", flags.exit_after_s, "Exit after this time")
      ->type_name("SECONDS")
      ->check(number_between(0, 1e9));
  app.add_flag("--log-json", flags.json_log, "Log one JSON object per line");
  app.add_flag("-v,--verbose", flags.verbose, "Log more");
}

}  // namespace

std::variant<Flags, int> parse_flags(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app(kAbout, "berthd");
  declare(app, flags);
  bool shows_manual = false;
  app.add_flag("--manual", shows_manual, "Print the manual page in roff and exit")->group("");
  app.allow_extras();
  const std::vector<std::string> words = cli::without_help_word({argv + 1, argv + argc});
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error, std::cout, std::cerr);
    return status == 0 ? 0 : 2;
  }
  if (const std::string wrong = cli::argument_error(app); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 2;
  }
  if (shows_manual) {
    std::cout << cli::manual_page(app, 8, "berth(1)");
    return 0;
  }
  if (flags.make_view_key.empty() && flags.embedded.empty() && flags.kubeconfig.empty() &&
      std::getenv("KUBERNETES_SERVICE_HOST") == nullptr) {
    std::cerr << "no cluster: expected --kubeconfig FILE, --embedded FILE|DIR, or to be in a pod\n";
    return 2;
  }
  return flags;
}

Result<Endpoint> parse_endpoint(const std::string& text, const std::string& flag) {
  const Error malformed{"\"" + text + "\" is not an endpoint; expected ADDRESS:PORT", flag};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return malformed;
  Endpoint endpoint;
  endpoint.address = text.substr(0, colon);
  if (endpoint.address.starts_with('[') && endpoint.address.ends_with(']')) {
    endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  }
  if (endpoint.address.find_first_of("[]") != std::string::npos || endpoint.address.empty()) {
    return malformed;
  }
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) return malformed;
  endpoint.port = *port;
  return endpoint;
}

}  // namespace berth::daemon
