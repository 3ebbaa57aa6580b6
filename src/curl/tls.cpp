#include "curl/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "curl/pem.h"

namespace berth::curl {

namespace {

constexpr const char* kNoFile = "/nonexistent";

std::string environment_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

struct SystemAuthorities {
  std::string file = environment_or(X509_get_default_cert_file_env(), X509_get_default_cert_file());
  std::string directory =
      environment_or(X509_get_default_cert_dir_env(), X509_get_default_cert_dir());
};

// The environment's at the first call, before API-5 hides them.
const SystemAuthorities& system_authorities() {
  static const SystemAuthorities where;
  return where;
}

Error openssl_error(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return Error{what + (reason != nullptr ? std::string(": ") + reason : ""), ""};
}

Certificate next_certificate(BIO* pem) {
  return {PEM_read_bio_X509(pem, nullptr, &no_password, nullptr), &X509_free};
}

// True if the text has no further certificate. False if it has a broken one.
bool is_at_end() {
  const unsigned long error = ERR_peek_last_error();
  const bool is_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (is_end) ERR_clear_error();
  return is_end;
}

Status trust(SSL_CTX* context, const std::string& ca) {
  const Bio pem = reading(ca);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (bool has_one = false;; has_one = true) {
    const Certificate authority = next_certificate(pem.get());
    if (!authority && has_one && is_at_end()) return Done{};
    if (!authority || X509_STORE_add_cert(store, authority.get()) != 1) {
      return openssl_error("the given CA cannot be read");
    }
  }
}

Status present(SSL_CTX* context, const TlsMaterial& tls) {
  const Bio pem = reading(tls.certificate);
  const Certificate leaf = next_certificate(pem.get());
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return openssl_error("the client certificate cannot be used");
  }
  while (Certificate link = next_certificate(pem.get())) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) {
      return openssl_error("the client certificate's chain cannot be used");
    }
  }
  if (!is_at_end()) return openssl_error("the client certificate's chain cannot be read");
  const Key key(PEM_read_bio_PrivateKey(reading(tls.key).get(), nullptr, &no_password, nullptr),
                &EVP_PKEY_free);
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return openssl_error("the client key cannot be used");
  }
  return Done{};
}

}  // namespace

Result<std::string> read_pem(const std::string& file) {
  std::ifstream in(file);
  if (!in) return Error{std::string("cannot be read: ") + std::strerror(errno), file};
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.empty()) return Error{"is empty, expected PEM", file};
  return text;
}

bool is_address(const std::string& name) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// Otherwise a library would load the system's authorities for each connection, and we would drop
// them. A missing file costs nothing.
void hide_system_authorities() {
  (void)system_authorities();
  setenv(X509_get_default_cert_file_env(), kNoFile, 1);
  setenv(X509_get_default_cert_dir_env(), kNoFile, 1);
}

Status set_up_tls(ssl_ctx_st* context, const TlsMaterial& material) {
  ERR_clear_error();
  SSL_CTX_set_cert_store(context, X509_STORE_new());  // API-3: only the given authorities
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!material.ca.empty()) {
    if (Status trusted = trust(context, material.ca); !trusted) return trusted;
  } else {
    const SystemAuthorities& where = system_authorities();
    SSL_CTX_load_verify_locations(context, where.file.c_str(), nullptr);
    SSL_CTX_load_verify_locations(context, nullptr, where.directory.c_str());
    ERR_clear_error();
  }
  return material.certificate.empty() ? Status(Done{}) : present(context, material);
}

// Sets the parameters of every connection of this context. libcurl's own check would fall back to
// the common name.
Status require_name(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* parameters = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int is_set = is_address(name)
                         ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str())
                         : X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), name.size());
  if (is_set != 1) return Error{"\"" + name + "\" is no name that can be verified", ""};
  return Done{};
}

}  // namespace berth::curl
