#include "proxy/server_tls.h"

#include <algorithm>
#include <exception>
#include <string_view>

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
  std::string file = options.certificate_file;
  try {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* const native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Sessions of verified clients can be resumed only within a named context.
    static constexpr unsigned char kName[] = "berth view";
    SSL_CTX_set_session_id_context(native, kName, sizeof kName - 1);
    SSL_CTX_set_client_hello_cb(native, check_hello, nullptr);
    SSL_CTX_set_alpn_select_cb(native, select_h2, nullptr);
    context->use_certificate_chain_file(file);
    file = options.key_file;
    context->use_private_key_file(file, ssl::context::pem);  // refuses a key of another certificate
    if (!options.client_ca_file.empty()) {
      file = options.client_ca_file;
      context->load_verify_file(file);
      context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
      SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(file.c_str()));
    }
    return context;
  } catch (const std::exception& failure) {
    return Error{std::string("cannot be loaded: ") + failure.what(), file};
  }
}

}  // namespace berth::proxy
