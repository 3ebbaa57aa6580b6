#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

// Why a server was not reached, in words that say what to look at. The library and OpenSSL say
// "certificate verify failed" and "wrong version number".

struct ssl_ctx_st;

namespace berth::kubeapi {

// What the certificate that a server last showed was refused for. Any thread.
class CertificateVerdict {
 public:
  // Every verification made with that context is remembered here from now on. The context keeps
  // the verdict alive.
  static void follow(ssl_ctx_st* context, std::shared_ptr<CertificateVerdict> verdict);

  void set(int code);  // of X509_STORE_CTX_get_error
  int code() const;    // 0: it was not

 private:
  mutable std::mutex mutex_;
  int code_ = 0;
};

struct FailureContext {
  std::string name;         // what the server's certificate must be for
  bool has_own_ca = false;  // given, not the system's
  int certificate_code = 0;
};

// `library` is what the library said, "Error in SSL handshake: certificate verify failed".
std::string explain_failure(std::string_view library, const FailureContext& context);

// "https://host:6443/path" -> "https://host:6443"; without a port, that of https is added.
std::string authority_of(const std::string& server);

}  // namespace berth::kubeapi
