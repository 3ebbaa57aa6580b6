#pragma once

#include <string>

#include "berth/base/result.h"
#include "kubeapi/access.h"

namespace CLI {
class App;
}

namespace berth::tools {

// The API server to ask, and the namespace. Empty means the default.
struct KubeFlags {
  std::string kubeconfig;
  std::string context;
  std::string name_space;

  bool is_asked() const { return !first_asked().empty(); }
  // The name of the first of these flags that is given; empty: none is.
  std::string first_asked() const;
};

void declare_kube(CLI::App& command, KubeFlags& flags);
void declare_kubeconfig(CLI::App& command, KubeFlags& flags);  // without the namespace

// Whether there is a kubeconfig, or this is a pod with a service account.
bool has_access(const KubeFlags& flags);

// The access of --kubeconfig, else of the files of $KUBECONFIG (the first that has the context),
// else of ~/.kube/config, else of the pod's service account; in the namespace of the flags, if they
// name one. Files are not merged: a context's cluster and user stand in its file.
Result<kubeapi::Access> open_access(const KubeFlags& flags);

}  // namespace berth::tools
