#pragma once

#include <memory>
#include <vector>

#include "berth/base/result.h"
#include "curl/pool.h"
#include "proxy/proxy.h"
#include "proxy/state.h"

namespace berth::proxy {

// The server behind the proxy, and the connections to it.
//
// Calls have short answers and share connections by HTTP/2: a hundred of them need one. Streams
// have answers of any length and a client that may read slowly: each has an HTTP/1.1 connection to
// itself, so that TCP holds back its own sender and no other.
class UpstreamClient {
 public:
  static Result<std::unique_ptr<UpstreamClient>> create(ProxyState& state);

  curl::Pool& choose_pool(bool is_call);  // for the next request
  ProxyState& state() { return state_; }
  const curl::Server& server() const { return *server_; }

 private:
  UpstreamClient(ProxyState& state, std::unique_ptr<curl::Server> server);
  curl::PoolOptions pool_options(curl::Connections connections, std::size_t most) const;

  ProxyState& state_;
  const std::unique_ptr<curl::Server> server_;
  std::vector<std::unique_ptr<curl::Pool>> calls_;
  curl::Pool streams_;
};

}  // namespace berth::proxy
