#pragma once

#include <string>

#include "berth/base/result.h"

struct ssl_ctx_st;

// The rules for TLS, API-3 to API-7.

namespace berth::curl {

struct TlsMaterial {
  std::string ca = {};           // PEM; empty: the system's authorities
  std::string certificate = {};  // PEM, leaf first; empty: none is presented
  std::string key = {};
};

// A file of certificates or a key. Not empty.
Result<std::string> read_pem(const std::string& file);

// True for an IPv4 or IPv6 address.
bool is_address(const std::string& name);

// API-5: hides the system's authorities from libraries, and remembers where they are. Called once,
// before another thread reads the environment.
void hide_system_authorities();

// Sets what a connection trusts and presents. `context` is new and serves one connection. Any
// thread.
Status set_up_tls(ssl_ctx_st* context, const TlsMaterial& material);

// API-4: requires a certificate for that name or address.
Status require_name(ssl_ctx_st* context, const std::string& name);

}  // namespace berth::curl
