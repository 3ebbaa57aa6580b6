#include "embedded/extender_client.h"

#include <fmt/format.h>

#include <utility>

#include "embedded/extender_wire.h"

namespace berth::embedded {
namespace {

Result<std::string> ask(http::HttpClient& client, std::string_view path, std::string_view body) {
  Result<http::Reply> reply = client.post(path, body);
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return Error{fmt::format("status {}, expected 200", reply->status), std::string(path)};
  }
  return std::move(reply->body);
}

Result<std::unique_ptr<http::HttpClient>> connect(const ExtenderClient::Options& options,
                                                  std::chrono::milliseconds timeout) {
  http::ClientOptions entry;
  entry.url = options.url;
  entry.timeout = timeout;
  entry.tls = options.tls;
  return http::HttpClient::create(std::move(entry));
}

}  // namespace

Result<std::unique_ptr<ExtenderClient>> ExtenderClient::create(const Options& options) {
  auto plan = connect(options, options.plan_timeout);
  if (!plan) return plan.error();
  auto commit = connect(options, options.commit_timeout);
  if (!commit) return commit.error();
  return std::unique_ptr<ExtenderClient>(new ExtenderClient(std::move(*plan), std::move(*commit)));
}

Result<std::vector<std::size_t>> ExtenderClient::filter(
    std::string_view pod, const std::vector<std::string_view>& names) {
  const Result<std::string> reply = ask(*plan_, "/plan/filter", extender_args(pod, names));
  if (!reply) return reply.error();
  return read_filter_result(*reply, names);
}

Result<std::vector<std::int64_t>> ExtenderClient::prioritize(
    std::string_view pod, const std::vector<std::string_view>& names) {
  const Result<std::string> reply = ask(*plan_, "/plan/prioritize", extender_args(pod, names));
  if (!reply) return reply.error();
  return read_priorities(*reply, names);
}

Status ExtenderClient::bind(const ports::Binding& binding) {
  const Result<std::string> reply = ask(*commit_, "/commit/bind", binding_args(binding));
  if (!reply) return reply.error();
  return read_binding_result(*reply);
}

void ExtenderClient::abort() {
  plan_->abort();
  commit_->abort();
}

}  // namespace berth::embedded
