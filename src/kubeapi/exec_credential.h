#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "kubeapi/access.h"

// A user's `exec` in a kubeconfig: the program of a cloud that gives short-lived credentials.
// Kubernetes' documents call it a client-go credential plugin.

namespace berth::kubeapi {

struct ExecProgram {
  std::string api_version;  // of the ExecCredential that it prints
  std::string command;      // a name in $PATH, or a path
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // besides our own
  std::string install_hint;                                      // printed if it is not there
  bool wants_cluster = false;                                    // provideClusterInfo
  bool may_ask = true;  // it may use the terminal: interactiveMode is not Never
  std::string where;    // of the entry, for messages
};

// Runs it and puts its token, or its client certificate and key, into `access`. Its standard error
// is ours. Waits until it ends. An Error names the entry.
Status run_exec(const ExecProgram& program, Access& access);

}  // namespace berth::kubeapi
