#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth::tools {

// As they were given; empty: the default.
struct ServerFlags {
  std::string url;
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
};

// A document of berthd, and where it is from, for messages about it.
struct ServerDocument {
  std::string text;
  std::string where;
};

// What a running berthd answers to GET `path`. Any error is bad input.
Result<ServerDocument> ask_server(const ServerFlags& flags, const std::string& path);

}  // namespace berth::tools
