#include "proxy/server_tls.h"

#include <algorithm>
#include <string_view>

#include "http/tls_credentials.h"

namespace berth::proxy {
namespace {

namespace ssl = boost::asio::ssl;

// A list of names as in ALPN, each with its length before it.
bool offers_h2(std::string_view names) {
  while (!names.empty()) {
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(names.front()));
    names.remove_prefix(1);
    if (names.substr(0, size) == "h2") return true;
    names.remove_prefix(std::min(size, names.size()));
  }
  return false;
}

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
  static constexpr unsigned char kH2[] = {'h', '2'};
  if (!offers_h2({reinterpret_cast<const char*>(offers), size})) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *selected = kH2;
  *selected_size = sizeof kH2;
  return SSL_TLSEXT_ERR_OK;
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
