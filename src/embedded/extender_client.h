#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "http/http_client.h"
#include "ports/binder.h"

namespace berth::embedded {

// The two entries of kube-scheduler's `extenders` that the stand-in calls. Each has its own
// connections and timeout. Only status 200 counts as an answer. Any thread.
class ExtenderClient {
 public:
  struct Options {
    std::string url;
    std::optional<http::ClientTls> tls = {};
    std::chrono::milliseconds plan_timeout{1'000};
    std::chrono::milliseconds commit_timeout{30'000};
  };
  static Result<std::unique_ptr<ExtenderClient>> create(const Options& options);

  // The kept ones of `names`, as indices.
  Result<std::vector<std::size_t>> filter(std::string_view pod,
                                          const std::vector<std::string_view>& names);
  Result<std::vector<std::int64_t>> prioritize(std::string_view pod,
                                               const std::vector<std::string_view>& names);
  Status bind(const ports::Binding& binding);

  // Ends all calls with an error, now and later.
  void abort();

 private:
  ExtenderClient(std::unique_ptr<http::HttpClient> plan, std::unique_ptr<http::HttpClient> commit)
      : plan_(std::move(plan)), commit_(std::move(commit)) {}

  std::unique_ptr<http::HttpClient> plan_;
  std::unique_ptr<http::HttpClient> commit_;
};

}  // namespace berth::embedded
