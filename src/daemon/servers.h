#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "berth/base/result.h"
#include "conf/config.h"
#include "daemon/flags.h"
#include "http/http_server.h"
#include "http/router.h"
#include "ports/callers.h"

namespace berth::daemon {

// Where berthd listens: by the flags, else by the configuration.
struct Listening {
  Endpoint extender;
  std::optional<Endpoint> pages;  // none: the pages are on the extender's port

  static Result<Listening> of(const Flags& flags, const conf::Config& config);
};

// The server that kube-scheduler calls, and the one for metrics, probes and pages.
class Servers {
 public:
  // `callers` are asked about bearers of tokens; null: these are nobody. Outlives the servers.
  Servers(const conf::Config& config, const Listening& where, ports::Callers* callers);

  // Routes are added before start().
  http::Router& verbs() { return verbs_; }
  http::Router& pages() { return pages_server_ == nullptr ? verbs_ : pages_; }

  Status start();
  Status stop(Duration deadline);

  std::uint16_t port() const { return extender_->port(); }
  // Of the pages: "http://127.0.0.1:8892". After start().
  std::string url() const;
  http::ServerCounts counts() const;  // of both
  // For /metrics: the certificates, in the exposition format; empty without TLS.
  std::string exposition() const;

 private:
  http::Router verbs_;
  http::Router pages_;
  std::string pages_address_;
  bool pages_have_tls_ = false;
  std::unique_ptr<http::HttpServer> extender_;
  std::unique_ptr<http::HttpServer> pages_server_;  // null: one serves all
};

}  // namespace berth::daemon
