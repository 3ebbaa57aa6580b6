#include "tools/server.h"

#include <memory>
#include <utility>

#include "berth/base/text.h"
#include "kube/files.h"
#include "kubeapi/access.h"

namespace berth::tools {

namespace {

constexpr std::size_t kBodyShown = 200;

Result<std::string> token_of(const std::string& file, const std::string& url) {
  if (!url.starts_with("https://")) {
    return Error{"a token is for https alone; expected --server https://...", "--token-file"};
  }
  const Result<std::string> text = kube::read_file(file);
  if (!text) return text.error();
  const std::string token(trimmed(*text));
  if (token.empty()) return Error{"no token in it", file};
  if (const std::string fault = kubeapi::token_error(token); !fault.empty()) {
    return Error{fault, file};
  }
  return token;
}

}  // namespace

Result<http::ClientOptions> client_options(const ServerFlags& flags) {
  http::ClientOptions options;
  options.url = flags.url.value_or("").empty() ? kDefaultServer : *flags.url;
  if (options.url.ends_with('/')) options.url.pop_back();
  if (!flags.tls_ca.empty()) {
    options.tls = http::ClientTls{flags.tls_ca, flags.tls_cert, flags.tls_key, {}};
  }
  if (!flags.token_file.empty()) {
    const Result<std::string> token = token_of(flags.token_file, options.url);
    if (!token) return token.error();
    options.bearer_token = *token;
  }
  return options;
}

Result<ServerDocument> ask_server(const ServerFlags& flags, const std::string& path,
                                  Duration timeout) {
  Result<http::ClientOptions> options = client_options(flags);
  if (!options) return options.error();
  options->timeout = timeout;
  std::string where = options->url + path;
  const Result<std::unique_ptr<http::HttpClient>> client = http::HttpClient::create(*options);
  if (!client) return Error{client.error().message, "--server"};
  Result<http::Reply> reply = (*client)->get(path);
  if (!reply) {
    return Error{reply.error().message + "; expected a berthd there (--server), or --cluster",
                 where};
  }
  constexpr int kOk = 200;
  constexpr int kNotFound = 404;
  if (reply->status == kNotFound) {
    return Error{"no such page; expected a berthd that has it, of this version or a newer one",
                 where};
  }
  if (reply->status != kOk) {
    return Error{
        "answered " + std::to_string(reply->status) + ": " + reply->body.substr(0, kBodyShown),
        where};
  }
  return ServerDocument{std::move(reply->body), std::move(where)};
}

}  // namespace berth::tools
