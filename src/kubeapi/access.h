#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/result.h"

// The address of the API server and the identity for it. Loading checks everything that can be
// checked without the server. Errors name the file, the entry in it, and the expected value.

namespace berth::kubeapi {

// Bytes from the configuration, or a file that is read again after each change. If both are set,
// the file counts; if neither is, there is none.
struct Material {
  std::string bytes;
  std::string file;

  bool is_given() const { return !bytes.empty() || !file.empty(); }
};

struct Access {
  std::string server;           // "https://host:port", perhaps with a path in front of all others
  Material ca;                  // PEM; empty: the system's authorities
  Material client_certificate;  // PEM, leaf first; set together with client_key
  Material client_key;          // PEM, not encrypted
  Material token;               // bearer token; blanks around it do not count
  std::string tls_server_name;  // the name that the certificate must have; empty: server's host
  bool insecure = false;        // accepts any certificate
  std::string name_space = "default";  // the context's, or the pod's own
};

// Whether a user's `exec` may be run for credentials.
enum class Programs : std::uint8_t { refused, may_run };

// Loads the context of that name, or the current one. Relative paths are relative to the
// kubeconfig's directory. Refused with advice: `auth-provider`, passwords, impersonation, proxies;
// and `exec`, unless programs may run: then it waits for the program, once.
Result<Access> load_kubeconfig(const std::string& path, const std::string& context = {},
                               Programs programs = Programs::refused);

// True for a possible host name or IPv4 address.
bool is_host(std::string_view text);

// Empty, or the error in a server's URL. It must be https, with a name or an IPv4 address, an
// optional port from 1 to 65535, and an optional path.
std::string server_url_error(const std::string& server);

// Empty, or the error in a bearer token: a line break in it would begin another header. The text
// never shows the token.
std::string token_error(std::string_view token);

// The access of a pod: KUBERNETES_SERVICE_HOST and _PORT, and the files of its service account.
Result<Access> in_cluster(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace berth::kubeapi
