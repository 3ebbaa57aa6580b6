#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

// Explains why a server was not reached, with a hint where to look. The library and OpenSSL only
// report "certificate verify failed" and "wrong version number".

struct ssl_ctx_st;

namespace berth::kubeapi {

// The error in the certificate that a server last showed. Any thread.
class CertificateVerdict {
 public:
  // Records every later verification with that context. The context keeps the verdict alive.
  static void follow(ssl_ctx_st* context, std::shared_ptr<CertificateVerdict> verdict);

  void set(int code);  // of X509_STORE_CTX_get_error
  int code() const;    // 0: the certificate was accepted

 private:
  mutable std::mutex mutex_;
  int code_ = 0;
};

struct FailureContext {
  std::string name;         // the name that the server's certificate must have
  bool has_own_ca = false;  // the configuration gives a CA
  int certificate_code = 0;
};

// `library` is the library's error, such as "Error in SSL handshake: certificate verify failed".
std::string explain_failure(std::string_view library, const FailureContext& context);

// "https://host:6443/path" -> "https://host:6443". The default port is added.
std::string authority_of(const std::string& server);

}  // namespace berth::kubeapi
