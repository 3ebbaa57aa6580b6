#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

// Explains why a server was not reached, with a hint where to look. libcurl and OpenSSL only report
// "certificate verify failed" and "wrong version number".

struct ssl_ctx_st;

namespace berth::curl {

// The error in the certificate that a server last showed. Any thread.
class CertificateVerdict {
 public:
  // Records every later verification with that context. The context keeps the verdict alive.
  static void follow(ssl_ctx_st* context, std::shared_ptr<CertificateVerdict> verdict);

  void set(int code) { code_ = code; }  // of X509_STORE_CTX_get_error
  int code() const { return code_; }    // 0: the certificate was accepted

 private:
  std::atomic<int> code_ = 0;
};

struct FailureContext {
  std::string name;         // the name that the server's certificate must have
  bool has_own_ca = false;  // the configuration gives a CA
  int certificate_code = 0;
};

// `code` is libcurl's, `text` its own words, perhaps empty, and `system_error` an errno or 0.
std::string explain_failure(int code, std::string_view text, long system_error,
                            const FailureContext& context);

}  // namespace berth::curl
