#include "proxy/upstream_client.h"

#include <algorithm>
#include <utility>

namespace berth::proxy {
namespace {

constexpr std::size_t kCallPools = 4;
constexpr std::size_t kCallsOfConnection = 100;  // of the API server, by default

// No certificate of ours: the API server would take us for the caller (VIEW-8).
Result<curl::TlsMaterial> trusted_by(const Upstream& upstream) {
  curl::TlsMaterial material;
  material.ca = upstream.ca_data;
  if (!material.ca.empty() || upstream.ca_file.empty()) return material;
  auto read = curl::read_pem(upstream.ca_file);
  if (!read) return read.error();
  material.ca = std::move(read).value();
  return material;
}

}  // namespace

UpstreamClient::UpstreamClient(ProxyState& state, std::unique_ptr<curl::Server> server)
    : state_(state),
      server_(std::move(server)),
      streams_(state.context,
               pool_options(curl::Connections::own, state.options.max_stream_connections)) {
  const std::size_t most = std::max<std::size_t>(state.options.max_call_connections, 1);
  const std::size_t pools = std::min(kCallPools, most);
  for (std::size_t i = 0; i < pools; ++i) {
    calls_.push_back(std::make_unique<curl::Pool>(
        state.context, pool_options(curl::Connections::shared, most / pools)));
  }
}

curl::PoolOptions UpstreamClient::pool_options(curl::Connections connections,
                                               std::size_t most) const {
  curl::PoolOptions options;
  options.connections = connections;
  options.most_connections = options.most_kept = most;
  options.on_connect = [&state = state_] { ++state.counts.upstream_connects; };
  options.on_notice = state_.options.on_notice;
  return options;
}

Result<std::unique_ptr<UpstreamClient>> UpstreamClient::create(ProxyState& state) {
  const Upstream& upstream = state.options.upstream;
  curl::ServerOptions options;
  options.address = upstream.server;
  options.certificate_name = upstream.server_name;
  options.insecure = upstream.skip_verification;
  options.has_own_ca = !upstream.ca_file.empty() || !upstream.ca_data.empty();
  options.material = [upstream] { return trusted_by(upstream); };
  if (const auto material = options.material(); !material) return material.error();
  auto server = curl::Server::create(std::move(options));
  if (!server) return server.error();
  return std::unique_ptr<UpstreamClient>(new UpstreamClient(state, std::move(server).value()));
}

// libcurl opens connections for all calls at once when one is full, so a pool gets no more calls
// than one connection carries, as long as another has room.
curl::Pool& UpstreamClient::choose_pool(bool is_call) {
  if (!is_call) return streams_;
  std::unique_ptr<curl::Pool>* least = &calls_.front();
  for (auto& pool : calls_) {
    if (pool->transfers() < kCallsOfConnection) return *pool;
    if (pool->transfers() < (*least)->transfers()) least = &pool;
  }
  return **least;
}

}  // namespace berth::proxy
