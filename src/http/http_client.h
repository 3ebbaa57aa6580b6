#pragma once

#include <memory>
#include <optional>
#include <stop_token>
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
  std::optional<ClientTls> tls = {};           // needed for https
  std::string bearer_token = {};               // sent with each request when not empty
};

struct Reply {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case

  // The first header of that (lower case) name, or empty.
  std::string_view header(std::string_view name) const;
};

// A blocking client that keeps its connections. It stands on cpprestsdk.
class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> create(ClientOptions options);
  ~HttpClient();  // no call may be under way

  // Any thread, many at once. Every status is a reply; an error means that none came. `timeout`
  // replaces the option. One that finds its kept connection closed may be sent again. A call whose
  // `stop` is requested ends with an error, and its connection is closed.
  Result<Reply> get(std::string_view path, std::optional<Duration> timeout = {},
                    const std::stop_token& stop = {});
  Result<Reply> post(std::string_view path, std::string_view body,
                     std::optional<Duration> timeout = {});  // as application/json
  Result<Reply> exchange(std::string_view method, std::string_view path,
                         std::string_view content_type, std::string_view body,
                         std::optional<Duration> timeout = {}, const std::stop_token& stop = {});

 private:
  class Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::http
