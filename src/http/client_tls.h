#pragma once

#include <string>

#include "berth/base/result.h"
#include "http/http_client.h"

struct ssl_ctx_st;
struct ssl_st;

namespace berth::http {

// The caller frees it. Trusts the given authority only; TLS 1.2 at least.
Result<ssl_ctx_st*> make_client_context(const ClientTls& options);

// The caller frees it; null when out of memory. Checks the server's certificate against `name`, a
// DNS name or an IP literal. Does not own `socket`, and never raises SIGPIPE.
ssl_st* make_client_session(ssl_ctx_st* context, int socket, const std::string& name);

// Why the last operation of this thread failed, in OpenSSL's words.
std::string tls_failure(const ssl_st* session);

}  // namespace berth::http
