#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/certificates.h"
#include "proxy/h2_client.h"
#include "proxy/proxy.h"
#include "proxy/upstream.h"

namespace berth::proxy::testing {

inline const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Nothing is intercepted.
class NoInterceptor : public Interceptor {
 public:
  std::unique_ptr<Exchange> intercept(Request&, Reply&) override { return nullptr; }
  bool reads_body(const Request&) const override { return false; }
  std::optional<Answer> answer(const Request&, std::string_view) override { return std::nullopt; }
};

// A proxy with a key of its own, and clients that know it.
class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest();
  ~ProxyTest() override;

  Options options(const std::string& server) const;
  void start(Options options);
  void start(Options options, Interceptor& interceptor);
  // A second proxy is an upstream that speaks HTTP/2 only. It asks for no certificate.
  std::unique_ptr<Proxy> start_http2_upstream(Options behind);
  Options http2_options(const Proxy& upstream) const;

  Identity identity() const;
  std::unique_ptr<H2Client> client(std::uint32_t stream_window = 1 << 20) const;

  // Waits until the counts are as expected. False: it took too long.
  bool eventually(const std::function<bool(const Counts&)>& is_true) const;
  std::vector<std::string> notices();
  std::string file(const std::string& name) const { return directory_.file(name); }

  std::unique_ptr<Proxy> proxy_;

 private:
  http::testing::TemporaryDirectory directory_;
  NoInterceptor no_interceptor_;
  std::mutex mutex_;
  std::vector<std::string> notices_;
};

std::string numbers(std::size_t size);  // bytes that differ by their place

}  // namespace berth::proxy::testing
