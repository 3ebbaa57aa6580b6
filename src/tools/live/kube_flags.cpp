#include "tools/live/kube_flags.h"

#include <cstdlib>
#include <filesystem>

#include "berth/base/text.h"
#include "document/cursor.h"
#include "document/readers.h"
#include "kube/files.h"
#include "tools/option.h"

namespace berth::tools {

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The files that exist, in the order in which they count.
std::vector<std::string> kubeconfigs(const KubeFlags& flags) {
  if (!flags.kubeconfig.empty()) return {flags.kubeconfig};
  std::vector<std::string> files = split_list(environment("KUBECONFIG"), ':');
  if (files.empty() && !environment("HOME").empty()) {
    files.push_back(environment("HOME") + "/.kube/config");
  }
  std::error_code ignored;
  std::erase_if(files, [&](const auto& file) { return !std::filesystem::exists(file, ignored); });
  return files;
}

bool is_in_pod() { return !environment("KUBERNETES_SERVICE_HOST").empty(); }

// The part of a kubeconfig that decides among several.
struct Contexts {
  std::string current;
  std::vector<std::string> names;
};

Result<Contexts> contexts_of(const std::string& file) {
  const auto text = kube::read_file(file);
  if (!text) return text.error();
  const Result<document::Value> value = document::parse_yaml(*text, file);
  if (!value) return value.error();
  document::Reading reading(*value, file);
  const document::Cursor root = reading.root();
  Contexts contexts{root["current-context"].text(), {}};
  for (const document::Cursor& item : root["contexts"].items()) {
    contexts.names.push_back(item["name"].text());
  }
  if (reading.failed()) return reading.error();
  return contexts;
}

// As kubectl: the first current-context counts, and the first entry of its name.
Result<kubeapi::Access> load_first(const std::vector<std::string>& files, std::string context) {
  std::vector<Contexts> all;
  for (const std::string& file : files) {
    Result<Contexts> contexts = contexts_of(file);
    if (!contexts) return contexts.error();
    if (context.empty()) context = contexts->current;
    all.push_back(std::move(*contexts));
  }
  for (std::size_t i = 0; i < files.size() && !context.empty(); ++i) {
    const std::vector<std::string>& names = all[i].names;
    if (std::find(names.begin(), names.end(), context) != names.end()) {
      return kubeapi::load_kubeconfig(files[i], context, kubeapi::Programs::may_run);
    }
  }
  return kubeapi::load_kubeconfig(files.front(), context, kubeapi::Programs::may_run);
}

}  // namespace

std::string KubeFlags::first_asked() const {
  if (!kubeconfig.empty()) return "--kubeconfig";
  if (!context.empty()) return "--context";
  return name_space.empty() ? "" : "--namespace";
}

void declare_kubeconfig(CLI::App& command, KubeFlags& flags) {
  add_option(command, "--kubeconfig", flags.kubeconfig, "FILE",
             "How to reach the API server; default: $KUBECONFIG, else ~/.kube/config, else the "
             "pod's service account");
  add_option(command, "--context", flags.context, "NAME",
             "Context of the kubeconfig; default: its current one");
}

void declare_kube(CLI::App& command, KubeFlags& flags) {
  declare_kubeconfig(command, flags);
  add_option(command, "-n,--namespace", flags.name_space, "NAMESPACE",
             "The namespace; default: the context's");
}

bool has_access(const KubeFlags& flags) {
  return flags.is_asked() || !kubeconfigs(flags).empty() || is_in_pod();
}

Result<kubeapi::Access> open_access(const KubeFlags& flags) {
  const std::vector<std::string> files = kubeconfigs(flags);
  if (files.empty() && !is_in_pod()) {
    return Error{
        "there is none, expected --kubeconfig FILE, $KUBECONFIG, ~/.kube/config, or to be "
        "in a pod",
        "kubeconfig"};
  }
  Result<kubeapi::Access> access =
      files.empty() ? kubeapi::in_cluster() : load_first(files, flags.context);
  if (access && !flags.name_space.empty()) access->name_space = flags.name_space;
  return access;
}

}  // namespace berth::tools
