#pragma once

#include <memory>
#include <string>

#include "berth/base/result.h"
#include "kubeapi/credentials.h"
#include "kubeapi/failure.h"

struct ssl_ctx_st;

// The rules for TLS, API-3 to API-7, for both HTTP libraries.

namespace berth::kubeapi {

// True for an IPv4 or IPv6 address.
bool is_address(const std::string& name);

// API-5: hides the system's authorities from libraries, and remembers where they are. Called once,
// before another thread reads the environment.
void hide_system_authorities();

// Sets what a connection trusts, requires and presents. `context` is new and serves one connection,
// so rotated files count from the next one on (API-7). Any thread.
Status set_up_tls(ssl_ctx_st* context, Credentials& credentials,
                  const std::shared_ptr<CertificateVerdict>& verdict);

}  // namespace berth::kubeapi
