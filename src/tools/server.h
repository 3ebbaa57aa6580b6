#pragma once

#include <optional>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "http/http_client.h"

namespace berth::tools {

inline constexpr const char* kDefaultServer = "http://127.0.0.1:8892";

// Flags as given. Empty means the default.
struct ServerFlags {
  std::optional<std::string> url;  // without a value: the default
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
  std::string token_file;

  bool is_asked() const { return url.has_value(); }
};

// A document of berthd and its source, for messages.
struct ServerDocument {
  std::string text;
  std::string where;
};

// How to ask the berthd of the flags.
Result<http::ClientOptions> client_options(const ServerFlags& flags);

// The answer of a running berthd to GET `path`. Every error is bad input.
Result<ServerDocument> ask_server(const ServerFlags& flags, const std::string& path,
                                  Duration timeout = std::chrono::seconds(5));

}  // namespace berth::tools
