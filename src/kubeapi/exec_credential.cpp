#include "kubeapi/exec_credential.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "document/cursor.h"
#include "document/readers.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAnswerMax = std::size_t{1} << 20;

std::string base64_of(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the final 0 that it writes
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// The input of the program, in KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecProgram& program, const Access& access) {
  Json info{{"apiVersion", program.api_version}, {"kind", "ExecCredential"}};
  info["spec"]["interactive"] = program.may_ask && isatty(STDIN_FILENO) != 0;
  if (program.wants_cluster) {
    Json& cluster = info["spec"]["cluster"];
    cluster["server"] = access.server;
    if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
    if (access.insecure) cluster["insecure-skip-tls-verify"] = true;
    if (!access.ca.bytes.empty()) {
      cluster["certificate-authority-data"] = base64_of(access.ca.bytes);
    }
  }
  return json_text(info);
}

std::vector<std::string> environment_of(const ExecProgram& program, const Access& access) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  for (const auto& [name, value] : program.environment) {
    const std::string start = name + "=";
    std::erase_if(all, [&](const std::string& old) { return old.starts_with(start); });
    all.push_back(start + value);
  }
  all.push_back("KUBERNETES_EXEC_INFO=" + exec_info(program, access));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() < kAnswerMax) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

Error cannot_start(const ExecProgram& program, int fault) {
  const std::string hint = program.install_hint.empty() ? "" : "; " + program.install_hint;
  return {"the program \"" + program.command + "\" cannot be started: " + std::strerror(fault) +
              ", expected it in $PATH" + hint,
          program.where};
}

// The standard output of the program, once it has ended with status 0.
Result<std::string> output_of(const ExecProgram& program, const Access& access) {
  std::vector<std::string> words{program.command};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = environment_of(program, access);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{std::strerror(errno), program.where};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  if (!program.may_ask) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  pid_t pid = 0;
  const int fault = posix_spawnp(&pid, program.command.c_str(), &files, nullptr,
                                 pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string text = fault == 0 ? read_all(ends[0]) : std::string();
  close(ends[0]);
  if (fault != 0) return cannot_start(program, fault);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const std::string end = WIFEXITED(status)
                              ? "ended with status " + std::to_string(WEXITSTATUS(status))
                              : "was ended by signal " + std::to_string(WTERMSIG(status));
  return Error{"the program \"" + program.command + "\" " + end + ", expected credentials",
               program.where};
}

}  // namespace

Status run_exec(const ExecProgram& program, Access& access) {
  Result<std::string> text = output_of(program, access);
  if (!text) return text.error();
  const std::string source = program.where + ", output of \"" + program.command + "\"";
  const Result<document::Value> value = document::parse_json(std::move(*text), source);
  if (!value) return value.error();
  document::Reading reading(*value, source);
  const document::Cursor root = reading.root();
  const document::Cursor status = root["status"];
  if (root["kind"].text() != "ExecCredential" || !status.is_present()) {
    root.complain("expected an ExecCredential with a status");
  }
  access.token.bytes = status["token"].text();
  access.client_certificate.bytes = status["clientCertificateData"].text();
  access.client_key.bytes = status["clientKeyData"].text();
  if (access.client_certificate.is_given() != access.client_key.is_given()) {
    status.complain("clientCertificateData and clientKeyData belong together, but one is missing");
  }
  if (!access.token.is_given() && !access.client_certificate.is_given()) {
    status.complain("it has neither a token nor a client certificate, expected one of them");
  }
  if (const std::string flaw = token_error(trimmed(access.token.bytes)); !flaw.empty()) {
    status["token"].complain(flaw);
  }
  if (reading.failed()) return reading.error();
  return Done{};
}

}  // namespace berth::kubeapi
