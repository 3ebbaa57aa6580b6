#include "kubeapi/transport.h"

#include "kubeapi/cpprest_sink.h"
#include "kubeapi/failure.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pplx/threadpool.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>

namespace berth::kubeapi {

namespace {

using web::http::client::http_client;
using web::http::client::http_client_config;
using SslContext = boost::asio::ssl::context;

// Handlers only move bytes and start the next step; see decision 12.
constexpr std::size_t kPoolThreads = 4;
// The deadlines are ours, so the library's own must never come first.
constexpr std::chrono::hours kNever{24};
constexpr const char* kNoFile = "/nonexistent";

std::atomic<std::uint64_t> unobserved = 0;

// The environment's certificate paths, from before API-5 hid them.
struct SystemAuthorities {
  std::string file;
  std::string directory;
};

SystemAuthorities& system_authorities() {
  static SystemAuthorities where;
  return where;
}

std::string environment_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

bool is_address(const std::string& name) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// API-4: sets the parameters of every connection of this context. The library's own check would
// fall back to the common name although there are alternative names.
void require_name(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* parameters = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int is_set = is_address(name)
                         ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str())
                         : X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), name.size());
  if (is_set != 1) throw std::runtime_error("\"" + name + "\" is no name that can be verified");
}

// Called for each new connection, so rotated files count from the next one on (API-7).
void set_up_tls(SslContext& context, Credentials& credentials,
                const std::shared_ptr<CertificateVerdict>& verdict) {
  const TlsMaterial tls = credentials.tls();
  SSL_CTX* native = context.native_handle();
  SSL_CTX_set_cert_store(native, X509_STORE_new());  // API-3: only the given authorities
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  if (!tls.ca.empty()) {
    context.add_certificate_authority(boost::asio::buffer(tls.ca));
  } else {
    const SystemAuthorities& where = system_authorities();
    SSL_CTX_load_verify_locations(native, where.file.c_str(), nullptr);
    SSL_CTX_load_verify_locations(native, nullptr, where.directory.c_str());
  }
  if (!tls.certificate.empty()) {
    context.use_certificate_chain(boost::asio::buffer(tls.certificate));
    context.use_private_key(boost::asio::buffer(tls.key), SslContext::pem);
  }
  if (credentials.access().insecure) return;
  require_name(native, credentials.server_name());
  CertificateVerdict::follow(native, verdict);
}

http_client_config configuration(const std::shared_ptr<Credentials>& credentials,
                                 const std::shared_ptr<CertificateVerdict>& verdict) {
  http_client_config config;
  config.set_timeout(kNever);
  config.set_max_redirects(0);  // a redirected request must not carry our token
  config.set_validate_certificates(!credentials->access().insecure);
  // SNI takes names, not addresses (RFC 6066).
  config.set_tlsext_sni_enabled(!is_address(credentials->server_name()));
  config.set_ssl_context_callback(
      [credentials, verdict](SslContext& context) { set_up_tls(context, *credentials, verdict); });
  return config;
}

std::optional<Duration> retry_after(const web::http::http_headers& headers) {
  const auto found = headers.find("Retry-After");
  if (found == headers.end()) return std::nullopt;
  const std::string& text = found->second;
  unsigned seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, 3600U));
}

std::string in_words(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const web::http::http_exception& e) {
    std::string why = e.error_code() ? e.error_code().message() : std::string();
    // Boost 1.74 does not know OpenSSL 3's codes: "Unknown error 167772294".
    const auto code = static_cast<unsigned long>(e.error_code().value());
    if (const char* reason = ERR_reason_error_string(code);
        reason != nullptr && why.starts_with("U")) {
      why = reason;
    }
    return why.empty() ? e.what() : std::string(e.what()) + ": " + why;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown failure";
  }
}

class CpprestExchange final : public Exchange {
 public:
  void cancel() override { source_.cancel(); }
  pplx::cancellation_token token() const { return source_.get_token(); }

 private:
  pplx::cancellation_token_source source_;
};

class CpprestTransport final : public Transport {
 public:
  CpprestTransport(std::shared_ptr<Credentials> credentials, std::string user_agent)
      : credentials_(std::move(credentials)),
        user_agent_(std::move(user_agent)),
        server_(authority_of(credentials_->access().server)),
        unary_(credentials_->access().server, configuration(credentials_, verdict_)),
        stream_(credentials_->access().server, configuration(credentials_, verdict_)) {}

  const std::string& server() const override { return server_; }

  std::shared_ptr<Exchange> start(const Request& request, Lane lane,
                                  std::shared_ptr<AnswerSink> sink) override {
    auto exchange = std::make_shared<CpprestExchange>();
    try {
      run(request, lane == Lane::unary ? unary_ : stream_, *exchange, sink);
    } catch (...) {
      sink->end(in_words(std::current_exception()));
    }
    return exchange;
  }

 private:
  web::http::http_request wire_request(const Request& request) {
    web::http::http_request wire(request.method);
    wire.set_request_uri(web::uri(request.path));
    auto& headers = wire.headers();
    headers.add("User-Agent", user_agent_);
    headers.add("Accept", "application/json");
    // The library takes the TLS name from here.
    const std::string& name = credentials_->access().tls_server_name;
    if (!name.empty()) headers.add("Host", name);
    if (const std::string token = credentials_->token(); !token.empty()) {
      headers.add("Authorization", "Bearer " + token);
    }
    if (!request.body.empty() || !request.content_type.empty()) {
      wire.set_body(request.body,
                    request.content_type.empty() ? "application/json" : request.content_type);
    }
    return wire;
  }

  void run(const Request& request, http_client& client, const CpprestExchange& exchange,
           const std::shared_ptr<AnswerSink>& sink) {
    web::http::http_request wire = wire_request(request);
    const concurrency::streams::streambuf<uint8_t> buffer(std::make_shared<CpprestSink>(sink));
    wire.set_response_stream(buffer.create_ostream());
    // The last link takes the task itself, so every failure is observed (API-6).
    client.request(wire, exchange.token())
        .then([sink](web::http::http_response response) {
          const auto type = response.headers().find("Content-Type");
          sink->head({response.status_code(), retry_after(response.headers()),
                      type == response.headers().end() ? std::string() : type->second});
          return response.content_ready();
        })
        .then([sink, verdict = verdict_,
               failure = failure_](pplx::task<web::http::http_response> whole) mutable {
          std::string error;
          try {
            whole.get();
          } catch (...) {
            failure.certificate_code = verdict->code();
            error = explain_failure(in_words(std::current_exception()), failure);
          }
          sink->end(error);
        });
  }

  const std::shared_ptr<Credentials> credentials_;
  const std::string user_agent_;
  const std::string server_;
  const FailureContext failure_{credentials_->server_name(), credentials_->access().ca.is_given()};
  const std::shared_ptr<CertificateVerdict> verdict_ = std::make_shared<CertificateVerdict>();
  // API-2: two clients, so that watches and unary requests share no connections.
  http_client unary_;
  http_client stream_;
};

}  // namespace

void note_unobserved_failure() { ++unobserved; }

std::uint64_t Transport::unobserved_failures() { return unobserved; }

// API-5: otherwise the library would load the system's authorities for each connection, and we
// would drop them. A missing file costs nothing.
void prepare_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    system_authorities() = {
        environment_or(X509_get_default_cert_file_env(), X509_get_default_cert_file()),
        environment_or(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())};
    setenv(X509_get_default_cert_file_env(), kNoFile, 1);
    setenv(X509_get_default_cert_dir_env(), kNoFile, 1);
    // OpenSSL starts before the pool, so that it is taken down after the pool's threads.
    OPENSSL_init_ssl(0, nullptr);
    try {
      crossplat::threadpool::initialize_with_threads(kPoolThreads);
    } catch (const std::exception&) {  // the pool exists already, which is as good
    }
  });
}

Result<std::unique_ptr<Transport>> Transport::create(std::shared_ptr<Credentials> credentials,
                                                     const std::string& user_agent) {
  const std::string server = credentials->access().server;
  prepare_process();
  try {
    return std::unique_ptr<Transport>(new CpprestTransport(std::move(credentials), user_agent));
  } catch (...) {
    return Error{
        "cannot be used: " + in_words(std::current_exception()) + ", expected https://host:port",
        server};
  }
}

}  // namespace berth::kubeapi
