#include "http/client_tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace berth::http {
namespace {

// OpenSSL's socket BIO writes without MSG_NOSIGNAL, and a library may not change the process's
// SIGPIPE.
int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto count = send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int read_socket(BIO* bio, char* into, int room) {
  BIO_clear_retry_flags(bio);
  const auto count = recv(socket_of(bio), into, static_cast<std::size_t>(room), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* socket_method() {
  static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
    BIO_meth_set_write(made, write_socket);
    BIO_meth_set_read(made, read_socket);
    BIO_meth_set_ctrl(made, control_socket);
    return std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)>(made, BIO_meth_free);
  }();
  return method.get();
}

bool is_ip_literal(const std::string& name) {
  unsigned char address[16];
  return inet_pton(AF_INET, name.c_str(), address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address) == 1;
}

Error cannot_load(const std::string& file) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return {std::string("cannot be loaded: ") + (reason == nullptr ? "unknown cause" : reason), file};
}

}  // namespace

Result<ssl_ctx_st*> make_client_context(const ClientTls& options) {
  ERR_clear_error();
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                            SSL_CTX_free);
  if (!context) return Error{"cannot make a TLS context", ""};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
  if (SSL_CTX_load_verify_file(context.get(), options.ca_file.c_str()) != 1) {
    return cannot_load(options.ca_file);
  }
  // The same offer as Go's. A server without HTTP/2 selects HTTP/1.1 or nothing.
  static constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof kProtocols - 1);
  if (!options.certificate_file.empty()) {
    if (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate_file.c_str()) != 1) {
      return cannot_load(options.certificate_file);
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) !=
        1) {
      return cannot_load(options.key_file);
    }
  }
  return context.release();
}

ssl_st* make_client_session(ssl_ctx_st* context, int socket, const std::string& name) {
  std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context), SSL_free);
  BIO* const bio = session ? BIO_new(socket_method()) : nullptr;
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session.get(), bio, bio);
  if (is_ip_literal(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), name.c_str());
  } else {
    SSL_set1_host(session.get(), name.c_str());
    SSL_set_tlsext_host_name(session.get(), name.c_str());
  }
  return session.release();
}

std::string tls_failure(const ssl_st* session) {
  const long verdict = SSL_get_verify_result(session);
  if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
  const unsigned long code = ERR_peek_last_error();
  if (code == 0) return errno == 0 ? "connection closed" : std::strerror(errno);
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "unknown cause" : reason;
}

}  // namespace berth::http
