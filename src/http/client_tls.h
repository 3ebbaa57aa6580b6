#pragma once

#include <string>

#include "berth/base/result.h"
#include "http/http_client.h"

struct ssl_ctx_st;
struct ssl_st;

namespace berth::http {

// The caller frees it. It trusts only the given authority, and needs TLS 1.2 at least.
Result<ssl_ctx_st*> make_client_context(const ClientTls& options);

// The caller frees it; null if out of memory. It checks the server's certificate against `name`, a
// DNS name or an IP literal. It does not own `socket`, and never raises SIGPIPE.
ssl_st* make_client_session(ssl_ctx_st* context, int socket, const std::string& name);

// The cause of this thread's last failure, as OpenSSL words it.
std::string tls_failure(const ssl_st* session);

}  // namespace berth::http
