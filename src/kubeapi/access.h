#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

// Where the API server is and as whom to speak to it. Loading checks everything that can be checked
// without the server; errors name the file, the entry in it, and what was expected.

namespace berth::kubeapi {

// Bytes that stand in the configuration, or a file that is read again when it changes. The file
// counts when both are set; neither means that there is none.
struct Material {
  std::string bytes;
  std::string file;

  bool is_given() const { return !bytes.empty() || !file.empty(); }
};

struct Access {
  std::string server;           // "https://host:port", perhaps with a path in front of all others
  Material ca;                  // PEM; not given: the system's authorities
  Material client_certificate;  // PEM, leaf first; given if and only if client_key is
  Material client_key;          // PEM, not encrypted
  Material token;               // sent as bearer; blanks around it do not count
  std::string tls_server_name;  // the name that the certificate must have; empty: server's host
  bool insecure = false;        // any certificate will do
  std::string name_space = "default";  // the context's, or the pod's own
};

// The context of that name, or the current one. Relative files are relative to the kubeconfig's
// directory. Refused with advice: `exec`, `auth-provider`, passwords, impersonation, proxies.
Result<Access> load_kubeconfig(const std::string& path, const std::string& context = {});

// Whether it may be a name or an IPv4 address.
bool is_host(std::string_view text);

// Empty, or what is wrong with a server's URL: expected are https, a name or an IPv4 address, and,
// if at all, a port from 1 to 65535 and a path.
std::string flaw_of_server(const std::string& server);

// Empty, or what is wrong with a bearer token. It goes into a header, where a line break would
// begin another one. The text never shows the token.
std::string flaw_of_token(std::string_view token);

// What a pod finds: KUBERNETES_SERVICE_HOST and _PORT, and the service account's files.
Result<Access> in_cluster(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace berth::kubeapi
