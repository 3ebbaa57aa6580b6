#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth::tools {

// Flags as given. Empty means the default.
struct ServerFlags {
  std::string url;
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
};

// A document of berthd and its source, for messages.
struct ServerDocument {
  std::string text;
  std::string where;
};

// The answer of a running berthd to GET `path`. Every error is bad input.
Result<ServerDocument> ask_server(const ServerFlags& flags, const std::string& path);

}  // namespace berth::tools
