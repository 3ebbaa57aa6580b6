#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::http {

struct ClientTls {
  std::string ca_file;                // the only authority trusted
  std::string certificate_file = {};  // presented to the server when not empty
  std::string key_file = {};
  // The name that the certificate must carry; default: the URL's host.
  std::string server_name = {};
};

struct ClientOptions {
  std::string url;  // "http://host:port" or "https://host:port"; v6 literals in brackets
  Duration timeout = std::chrono::seconds(5);  // of a whole exchange, connecting included
  Duration idle_timeout = std::chrono::seconds(90);
  std::size_t max_idle_connections = 2;
  std::optional<ClientTls> tls = {};  // needed for https
};

struct Reply {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case

  // The first header of that (lower case) name, or empty.
  std::string_view header(std::string_view name) const;
};

struct ClientCounts {
  std::uint64_t connections_opened = 0;
  std::uint64_t connections_reused = 0;  // calls on an existing connection
};

// A blocking client that treats a server as kube-scheduler does (Go's default transport): at most

class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> create(ClientOptions options);
  ~HttpClient();  // no call may be under way

  // Any thread, many at once. Every status is a reply; an error means that none came. `timeout`
  // replaces the option.
  Result<Reply> get(std::string_view path, std::optional<Duration> timeout = {});
  Result<Reply> post(std::string_view path, std::string_view body,
                     std::optional<Duration> timeout = {});  // as application/json
  Result<Reply> exchange(std::string_view method, std::string_view path,
                         std::string_view content_type, std::string_view body,
                         std::optional<Duration> timeout = {});

  // Ends all calls with an error, now and later. Any thread.
  void abort();

  ClientCounts counts() const;

 private:
  class Pool;
  explicit HttpClient(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool_;
};

}  // namespace berth::http
