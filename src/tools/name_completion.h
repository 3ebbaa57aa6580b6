#pragma once

#include <string>
#include <vector>

namespace berth::tools {

// The names that the live cluster has for a flag or positional of this type: "JOB", "QUEUE" or
// "NAMESPACE". `words` are the command line so far; its --kubeconfig, --context and --namespace
// count. Empty for another type, and if the API server does not answer.
std::vector<std::string> names_for(const std::string& type, const std::vector<std::string>& words);

}  // namespace berth::tools
