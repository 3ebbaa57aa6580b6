#include "curl/failure.h"

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::curl {

namespace {

using Verdict = std::shared_ptr<CertificateVerdict>;

void release(void*, void* held, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Verdict*>(held);
}

int verdict_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, &release);
  return index;
}

int verify(X509_STORE_CTX* chain, void* held) {
  const int is_good = X509_verify_cert(chain);
  (*static_cast<Verdict*>(held))->set(is_good == 1 ? 0 : X509_STORE_CTX_get_error(chain));
  return is_good;
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string in_brackets(std::string_view text) { return " (" + std::string(text) + ")"; }

std::string certificate_failure(const FailureContext& context) {
  const std::string certificate = "the server's certificate ";
  switch (context.certificate_code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return certificate + (context.has_own_ca
                                ? "is not signed by the given CA, expected certificate-authority "
                                  "to be the one that signed it"
                                : "is not signed by a CA of the system, expected one, or the right "
                                  "one as certificate-authority");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return certificate + "is not for " + in_quotes(context.name) +
             ", expected this among its alternative names, or the name it has as tls-server-name";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return certificate + "has expired, expected one that is valid now";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return certificate + "is not valid yet, expected one that is; are both clocks right?";
    case X509_V_OK:
      return certificate + "was refused, expected one that can be verified";
    default:
      return certificate +
             "was refused: " + X509_verify_cert_error_string(context.certificate_code);
  }
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0" ->
// "tlsv13 alert certificate required".
std::string without_codes(const std::string& text) {
  const std::size_t reason = text.rfind("::");
  if (text.find("error:") >= reason || reason == std::string::npos) return text;
  return text.substr(reason + 2, text.find(", errno ") - reason - 2);
}

// libcurl keeps the first text only. This one is about a connection that the server has closed
// already, and hides the error that follows.
bool is_cause(std::string_view text) { return !text.empty() && !text.starts_with("getpeername"); }

}  // namespace

void CertificateVerdict::follow(ssl_ctx_st* context, Verdict verdict) {
  auto held = std::make_unique<Verdict>(std::move(verdict));
  if (SSL_CTX_set_ex_data(context, verdict_index(), held.get()) != 1) return;
  SSL_CTX_set_cert_verify_callback(context, &verify, held.release());
}

// API-19: each ends with the expected state.
std::string explain_failure(int code, std::string_view text, long system_error,
                            const FailureContext& context) {
  const std::string cause = is_cause(text) ? without_codes(std::string(text))
                                           : curl_easy_strerror(static_cast<CURLcode>(code));
  const bool is_handshake =
      code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION;
  if (code == CURLE_COULDNT_RESOLVE_HOST) {
    return "no address is known for the host" + in_brackets(cause) +
           ", expected a name that DNS or /etc/hosts has";
  }
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT) {
    // Only the connecting has a deadline of libcurl's.
    const long error = code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT : system_error;
    return "cannot connect" +
           in_brackets(error != 0 ? std::strerror(static_cast<int>(error)) : cause.c_str()) +
           ", expected an API server there";
  }
  // OpenSSL's own text depends on the first failure: "EVP lib", for a CA of the same name.
  if ((is_handshake && context.certificate_code != 0) || has(cause, "certificate verify failed")) {
    return certificate_failure(context);
  }
  if (has(cause, "wrong version number") || has(cause, "http request") ||
      has(cause, "packet length too long")) {
    return "the server there does not use TLS" + in_brackets(cause) +
           ", expected the API server's TLS port";
  }
  if (has(cause, "certificate required") || has(cause, "bad certificate") ||
      has(cause, "unknown ca")) {
    return "the server refuses our client certificate, or requires one" + in_brackets(cause) +
           ", expected client-certificate of a user it knows";
  }
  return is_handshake ? "error in the TLS handshake: " + cause : cause;
}

}  // namespace berth::curl
