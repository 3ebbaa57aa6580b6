#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proxy/proxy.h"

namespace berth::proxy {

using Steady = std::chrono::steady_clock;

// Counts of the proxy's thread that others may read.
struct Gauges {
  using Gauge = std::atomic<std::uint64_t>;
  Gauge connections_open = 0, connections_accepted = 0, connections_refused = 0,
        handshakes_failed = 0, floods = 0, streams_open = 0, requests = 0, malformed = 0,
        intercepted = 0, answered_locally = 0, refused = 0, pauses = 0, stalled = 0,
        transfers_open = 0, upstream_failures = 0, dead_watches = 0, upstream_connects = 0;
};

class UpstreamClient;

// State that all connections of one proxy share. All but the gauges belongs to the proxy's thread.
struct ProxyState {
  ProxyState(Options options_in, Interceptor& interceptor_in)
      : options(std::move(options_in)), interceptor(interceptor_in) {}

  void notice(const std::string& message) const {
    if (options.on_notice) options.on_notice(message);
  }

  const Options options;
  Interceptor& interceptor;
  Gauges gauges;  // outlives what the context holds
  boost::asio::io_context context{1};
  UpstreamClient* upstream = nullptr;
  std::string authorization;     // the line of the header; empty: there is no token
  std::size_t body_bytes = 0;    // of requests that are read whole
  std::size_t queued_bytes = 0;  // of replies
};

}  // namespace berth::proxy
