#include "kubeapi/access.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "berth/base/number.h"
#include "berth/base/text.h"
#include "kube/files.h"

namespace berth::kubeapi {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_port(std::string_view text) { return parse_number<std::uint16_t>(text).value_or(0) != 0; }

bool is_host_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
}

}  // namespace

bool is_host(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), &is_host_character);
}

std::string server_url_error(const std::string& server) {
  constexpr std::string_view kScheme = "https://";
  if (!server.starts_with(kScheme)) {
    return "\"" + server + "\" is not served over TLS, expected https://";
  }
  const auto rest = std::string_view(server).substr(kScheme.size());
  const auto authority = rest.substr(0, rest.find('/'));
  if (authority.find('[') != std::string_view::npos) {
    return "an IPv6 literal is not supported, expected a name or IPv4";
  }
  const std::size_t colon = authority.find(':');
  const auto host = authority.substr(0, colon);
  if (!is_host(host)) {
    return "\"" + std::string(host) + "\" is no host, expected a name or an IPv4 address";
  }
  if (colon != std::string_view::npos && !is_port(authority.substr(colon + 1))) {
    return "\"" + std::string(authority.substr(colon + 1)) +
           "\" is no port, expected a number from 1 to 65535";
  }
  const auto is_odd = [](char c) { return c <= ' ' || c == '?' || c == '#' || c == 0x7F; };
  if (std::any_of(rest.begin(), rest.end(), is_odd)) {
    return "expected https://host:port and perhaps a path, without blanks, \"?\" and \"#\"";
  }
  return {};
}

// API-21
std::string token_error(std::string_view token) {
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] > ' ' && token[i] < 0x7F) continue;
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(token[i]);
    return std::string("the token has the byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15] +
           " at character " + std::to_string(i + 1) + ", expected printable ASCII on one line";
  }
  return {};
}

Result<Access> in_cluster(const std::string& directory) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, expected to run "
        "in a pod, or a kubeconfig",
        "environment"};
  }
  Access access;
  // IPv6 literals are not tested. The certificate also holds the service's name.
  const bool is_ipv6 = host.find(':') != std::string::npos;
  access.server = "https://" + (is_ipv6 ? "kubernetes.default.svc" : host) + ":" + port;
  if (const std::string flaw = server_url_error(access.server); !flaw.empty()) {
    return Error{flaw, "environment, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT"};
  }
  access.ca.file = directory + "/ca.crt";
  access.token.file = directory + "/token";
  for (const std::string& file : {access.ca.file, access.token.file}) {
    if (const auto read = kube::read_file(file); !read) return read.error();
  }
  if (const auto name_space = kube::read_file(directory + "/namespace"); name_space) {
    if (!trimmed(*name_space).empty()) access.name_space = std::string(trimmed(*name_space));
  }
  return access;
}

}  // namespace berth::kubeapi
