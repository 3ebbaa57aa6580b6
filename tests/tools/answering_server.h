#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "http/http_server.h"
#include "http/router.h"

namespace berth::tools {

// A server that answers these paths, always alike.
class AnsweringServer {
 public:
  AnsweringServer(const std::string& path, http::Response response)
      : AnsweringServer({{path, std::move(response)}}) {}
  explicit AnsweringServer(const std::map<std::string, http::Response>& answers) {
    for (const auto& [path, response] : answers) {
      router_.add("GET", path,
                  [response = response](const http::Request&, http::Responder responder) {
                    responder.answer(response);
                  });
    }
    http::ServerOptions options;
    options.address = "127.0.0.1";
    options.port = 0;
    server_ = http::make_http_server(options, router_.handler());
    EXPECT_TRUE(server_->start());
  }
  ~AnsweringServer() { EXPECT_TRUE(server_->stop(std::chrono::seconds(1))); }
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

 private:
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_;
};

}  // namespace berth::tools
