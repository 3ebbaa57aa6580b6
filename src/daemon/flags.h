#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/result.h"

namespace berth::daemon {

// The command line of berthd.
struct Flags {
  std::string config_file;            // empty: the built-in default
  std::vector<std::string> embedded;  // files and directories of manifests
  std::string kubeconfig;             // of the live cluster; empty: in-cluster
  std::string context;                // of the kubeconfig; empty: its current one
  std::optional<bool> leader_elect;   // absent: the configuration's, as the next three
  std::string lease_namespace;
  std::optional<double> kube_api_qps;
  std::optional<int> kube_api_burst;
  std::string listen;         // "address:port"; empty: the configuration's
  std::string pages;          // likewise, of the pages
  std::string make_view_key;  // the directory; makes the key pair and does nothing else
  double speed = 1.0;         // of the embedded cluster's time
  bool exit_when_settled = false;
  double exit_after_s = 0;  // real seconds; 0: never
  bool json_log = false;
  bool verbose = false;
};

// The flags of a run; or an exit code, after --help, --version, or an error message.
std::variant<Flags, int> parse_flags(int argc, const char* const* argv);

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};
// "127.0.0.1:8890", "[::1]:0". An Error names the flag.
Result<Endpoint> parse_endpoint(const std::string& text, const std::string& flag = "--listen");

}  // namespace berth::daemon
