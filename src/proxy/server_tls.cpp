#include "proxy/server_tls.h"

#include "http/tls_credentials.h"

namespace berth::proxy {
namespace {

namespace ssl = boost::asio::ssl;

// A client without ALPN would be served otherwise: OpenSSL selects only among offers.
int check_hello(SSL* connection, int* alert, void*) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(connection, TLSEXT_TYPE_application_layer_protocol_negotiation,
                                &bytes, &size) == 1) {
    return SSL_CLIENT_HELLO_SUCCESS;
  }
  *alert = SSL_AD_NO_APPLICATION_PROTOCOL;
  return SSL_CLIENT_HELLO_ERROR;
}

int select_h2(SSL*, const unsigned char** selected, unsigned char* selected_size,
              const unsigned char* offers, unsigned int size, void*) {
  static constexpr unsigned char kH2[] = {2, 'h', '2'};  // with its length, as in ALPN
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(selected), selected_size, kH2,
                                          sizeof kH2, offers, size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

Result<std::shared_ptr<ssl::context>> make_server_tls(const Options& options) {
  auto context = http::make_server_context(
      {options.certificate_file, options.key_file, options.client_ca_file}, "berth view");
  if (!context) return context.error();
  SSL_CTX* const native = (*context)->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  SSL_CTX_set_client_hello_cb(native, check_hello, nullptr);
  SSL_CTX_set_alpn_select_cb(native, select_h2, nullptr);
  return context;
}

}  // namespace berth::proxy
