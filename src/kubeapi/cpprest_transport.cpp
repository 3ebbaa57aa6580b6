#include "kubeapi/transport.h"

#include "kubeapi/client_tls.h"
#include "kubeapi/cpprest_sink.h"
#include "kubeapi/curl_calls.h"
#include "kubeapi/failure.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pplx/threadpool.h>

#include <atomic>
#include <mutex>

namespace berth::kubeapi {

namespace {

using web::http::client::http_client;
using web::http::client::http_client_config;

// Handlers only move bytes and start the next step; see decision 12. With more threads, each step
// of a stream wakes another one: four took twice the processor time of one.
constexpr std::size_t kPoolThreads = 2;
// The deadlines are ours, so the library's own must never come first.
constexpr std::chrono::hours kNever{24};

std::atomic<std::uint64_t> unobserved = 0;

http_client_config configuration(const std::shared_ptr<Credentials>& credentials,
                                 const std::shared_ptr<CertificateVerdict>& verdict) {
  http_client_config config;
  config.set_timeout(kNever);
  config.set_max_redirects(0);  // a redirected request must not carry our token
  config.set_validate_certificates(!credentials->access().insecure);
  // SNI takes names, not addresses (RFC 6066).
  config.set_tlsext_sni_enabled(!is_address(credentials->server_name()));
  config.set_ssl_context_callback([credentials, verdict](boost::asio::ssl::context& context) {
    const Status set_up = set_up_tls(context.native_handle(), *credentials, verdict);
    if (!set_up) throw std::runtime_error(set_up.error().to_string());
  });
  return config;
}

AnswerHead head_of(const web::http::http_response& response) {
  const auto value_of = [&](const char* name) {
    const auto found = response.headers().find(name);
    return found == response.headers().end() ? std::string() : found->second;
  };
  return {response.status_code(), retry_after(value_of("Retry-After")), value_of("Content-Type")};
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
  const pplx::cancellation_token_source& source() const { return source_; }

 private:
  pplx::cancellation_token_source source_;
};

class CpprestTransport final : public Transport {
 public:
  CpprestTransport(std::shared_ptr<Credentials> credentials, std::string user_agent,
                   const ports::Leadership* leadership)
      : credentials_(std::move(credentials)),
        user_agent_(std::move(user_agent)),
        server_(authority_of(credentials_->access().server)),
        calls_(credentials_, user_agent_, CurlCalls::Connections::shared, leadership),
        urgent_calls_(credentials_, user_agent_, CurlCalls::Connections::own, leadership),
        stream_(credentials_->access().server, configuration(credentials_, verdict_)) {}

  const std::string& server() const override { return server_; }

  std::shared_ptr<Exchange> start(const Request& request, Lane lane,
                                  std::shared_ptr<AnswerSink> sink) override {
    if (lane == Lane::unary) {
      return (request.urgent ? urgent_calls_ : calls_).start(request, std::move(sink));
    }
    auto exchange = std::make_shared<CpprestExchange>();
    try {
      run(request, *exchange, sink);
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
    headers.add("Accept", std::string(media_type_of(request.format)));
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

  void run(const Request& request, const CpprestExchange& exchange,
           const std::shared_ptr<AnswerSink>& sink) {
    web::http::http_request wire = wire_request(request);
    const concurrency::streams::streambuf<uint8_t> buffer(
        std::make_shared<CpprestSink>(sink, exchange.source()));
    wire.set_response_stream(buffer.create_ostream());
    // The last link takes the task itself, so every failure is observed (API-6).
    stream_.request(wire, exchange.source().get_token())
        .then([sink](web::http::http_response response) {
          sink->head(head_of(response));
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
  // API-2, API-10: each of these has connections of its own.
  CurlCalls calls_;
  CurlCalls urgent_calls_;
  http_client stream_;
};

}  // namespace

void note_unobserved_failure() { ++unobserved; }

std::uint64_t Transport::unobserved_failures() { return unobserved; }

void prepare_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    hide_system_authorities();
    // OpenSSL starts before the pool, so that it is taken down after the pool's threads.
    OPENSSL_init_ssl(0, nullptr);
    try {
      crossplat::threadpool::initialize_with_threads(kPoolThreads);
    } catch (const std::exception&) {  // the pool exists already, which is as good
    }
  });
}

Result<std::unique_ptr<Transport>> Transport::create(std::shared_ptr<Credentials> credentials,
                                                     const std::string& user_agent,
                                                     const ports::Leadership* leadership) {
  const std::string server = credentials->access().server;
  prepare_process();
  try {
    return std::unique_ptr<Transport>(
        new CpprestTransport(std::move(credentials), user_agent, leadership));
  } catch (...) {
    return Error{
        "cannot be used: " + in_words(std::current_exception()) + ", expected https://host:port",
        server};
  }
}

}  // namespace berth::kubeapi
