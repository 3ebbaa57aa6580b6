#include <filesystem>
#include <optional>

#include "berth/base/text.h"
#include "document/cursor.h"
#include "document/readers.h"
#include "kube/files.h"
#include "kubeapi/access.h"
#include "kubeapi/base64.h"
#include "kubeapi/exec_credential.h"

namespace berth::kubeapi {

namespace {

using document::Cursor;

// The entry of that name in `list`, its content behind `key`. A missing entry is an error.
Cursor entry(const Cursor& root, const char* list, const char* key, const std::string& name) {
  for (const Cursor& item : root[list].items()) {
    if (item["name"].text() == name) return item[key];
  }
  root[list].complain("there is no entry named \"" + name + "\", expected one");
  return root[list][key];
}

// The inline base64 behind `key`-data, or the file behind `key`.
Material material(const Cursor& at, const std::string& key,
                  const std::filesystem::path& directory) {
  Material found;
  const Cursor inline_data = at[key + "-data"];
  if (inline_data.is_present()) {
    const auto bytes = decode_base64(inline_data.text());
    if (!bytes) inline_data.complain("this is not base64, expected base64 of PEM");
    found.bytes = bytes.value_or("");
  } else if (const std::string file = at[key].text(); !file.empty()) {
    found.file = (directory / file).lexically_normal().string();
  }
  return found;
}

// API-8: refuses settings that would be ignored, or that need a program or a user at a keyboard.
void refuse_unsupported(const Cursor& user, const Cursor& cluster, Programs programs) {
  const auto refuse = [](const Cursor& at, const char* message) {
    if (at.is_present()) at.complain(message);
  };
  if (programs == Programs::refused) {
    refuse(user["exec"],
           "credentials from a program are not supported; use a service account's token "
           "(kubectl create token, in tokenFile) or a client certificate");
  }
  refuse(user["auth-provider"],
         "auth providers are not supported, nor are they by Kubernetes since 1.26; use a service "
         "account's token (kubectl create token, in tokenFile) or a client certificate");
  for (const char* key : {"username", "password"}) {
    refuse(user[key],
           "passwords are not supported, nor are they by Kubernetes since 1.19; use a token or a "
           "client certificate");
  }
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    refuse(user[key], "impersonation is not supported; use that account's credentials");
  }
  refuse(cluster["proxy-url"],
         "proxies are not supported; expected a server that is reached directly");
}

void read_cluster(const Cursor& cluster, const std::filesystem::path& directory, Access& access) {
  access.server = cluster.required_text("server");
  while (access.server.ends_with('/')) access.server.pop_back();
  if (const std::string flaw = server_url_error(access.server); !flaw.empty()) {
    cluster["server"].complain(flaw);
  }
  access.ca = material(cluster, "certificate-authority", directory);
  access.tls_server_name = cluster["tls-server-name"].text();
  if (!access.tls_server_name.empty() && !is_host(access.tls_server_name)) {
    cluster["tls-server-name"].complain("expected a name or an IPv4 address");
  }
  access.insecure = cluster["insecure-skip-tls-verify"].boolean(false);
  if (access.insecure && access.ca.is_given()) {
    cluster["insecure-skip-tls-verify"].complain(
        "there is a certificate authority, too; expected one of them");
  }
}

void read_user(const Cursor& user, const std::filesystem::path& directory, Access& access) {
  access.client_certificate = material(user, "client-certificate", directory);
  access.client_key = material(user, "client-key", directory);
  if (access.client_certificate.is_given() != access.client_key.is_given()) {
    user.complain("client-certificate and client-key belong together, but one is missing");
  }
  // As in kubectl, a file takes precedence.
  if (const std::string file = user["tokenFile"].text(); !file.empty()) {
    access.token.file = (directory / file).lexically_normal().string();
  } else {
    access.token.bytes = user["token"].text();
    const std::string flaw = token_error(trimmed(access.token.bytes));
    if (!flaw.empty()) user["token"].complain(flaw);
  }
}

// A relative path with a slash is relative to the kubeconfig's directory; a name is in $PATH.
ExecProgram read_program(const Cursor& exec, const std::filesystem::path& directory) {
  ExecProgram program;
  program.api_version = exec.required_text("apiVersion");
  if (!program.api_version.starts_with("client.authentication.k8s.io/")) {
    exec["apiVersion"].complain("expected client.authentication.k8s.io/v1 or v1beta1");
  }
  program.command = exec.required_text("command");
  if (program.command.find('/') != std::string::npos) {
    program.command = (directory / program.command).lexically_normal().string();
  }
  for (const Cursor& argument : exec["args"].items()) program.arguments.push_back(argument.text());
  for (const Cursor& each : exec["env"].items()) {
    program.environment.emplace_back(each.required_text("name"), each["value"].text());
  }
  program.install_hint = std::string(trimmed(exec["installHint"].text()));
  program.wants_cluster = exec["provideClusterInfo"].boolean(false);
  program.may_ask = exec["interactiveMode"].text() != "Never";
  return program;
}

}  // namespace

Result<Access> load_kubeconfig(const std::string& path, const std::string& context,
                               Programs programs) {
  auto text = kube::read_file(path);
  if (!text) return text.error();
  const Result<document::Value> document = document::parse_yaml(*text, path);
  if (!document) return document.error();
  document::Reading reading(*document, path);
  const Cursor root = reading.root();
  const std::string name = context.empty() ? root["current-context"].text() : context;
  if (name.empty()) {
    return Error{"there is no current-context, expected one, or a context chosen by name", path};
  }
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  const Cursor chosen = entry(root, "contexts", "context", name);
  if (reading.failed()) return reading.error();
  const Cursor cluster = entry(root, "clusters", "cluster", chosen.required_text("cluster"));
  const std::string user_name = chosen["user"].text();
  if (reading.failed()) return reading.error();
  Access access;
  std::optional<ExecProgram> program;
  if (!user_name.empty()) {
    const Cursor user = entry(root, "users", "user", user_name);
    if (reading.failed()) return reading.error();
    refuse_unsupported(user, cluster, programs);
    read_user(user, directory, access);
    if (user["exec"].is_present()) program = read_program(user["exec"], directory);
  }
  read_cluster(cluster, directory, access);
  access.name_space = chosen["namespace"].text("default");
  if (reading.failed()) return reading.error();
  // API-30. As in kubectl, other credentials take precedence.
  if (!program || access.token.is_given() || access.client_certificate.is_given()) return access;
  program->where = path + ", exec of user \"" + user_name + "\"";
  if (Status run = run_exec(*program, access); !run) return run.error();
  return access;
}

}  // namespace berth::kubeapi
