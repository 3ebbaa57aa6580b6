#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "berth/base/result.h"
#include "proxy/proxy.h"

namespace berth::proxy {

// For clients: TLS 1.3, a certificate of the given authority if there is one, and HTTP/2
// (ALPN "h2"). Anything else is refused in the handshake.
Result<std::shared_ptr<boost::asio::ssl::context>> make_server_tls(const Options& options);

}  // namespace berth::proxy
