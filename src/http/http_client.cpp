#include "http/http_client.h"

// Before cpprestsdk, whose macros break libcurl's headers.
#include "curl/server.h"
#include "curl/tls.h"

// A task whose failure nobody asks for would end the process.
#define _REPORT_PPLTASK_UNOBSERVED_EXCEPTION() static_cast<void>(0)
#define _TURN_OFF_PLATFORM_STRING

#include <cpprest/http_client.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pplx/threadpool.h>

#include <atomic>
#include <exception>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/text.h"

// The only file that includes cpprestsdk, whose macros and namespaces must not spread. Decisions 12
// and 33 have its traps.

namespace berth::http {
namespace {

using web::http::client::http_client;
using web::http::client::http_client_config;
using Verdict = std::shared_ptr<curl::CertificateVerdict>;

constexpr std::size_t kReplyMost = std::size_t{256} << 20;
constexpr std::size_t kPoolThreads = 2;  // they only move bytes
// The library's deadline starts over at each byte, so ours count.
constexpr std::chrono::hours kNever{24};

// The library's pool has forty threads otherwise.
void prepare_pool() {
  static std::once_flag once;
  std::call_once(once, [] {
    // OpenSSL starts before the pool, so that it is taken down after the pool's threads.
    OPENSSL_init_ssl(0, nullptr);
    try {
      crossplat::threadpool::initialize_with_threads(kPoolThreads);
    } catch (const std::exception&) {  // the pool exists already, which is as good
    }
  });
}

// The library ends what belongs to an exchange by tasks of its own, a moment after the answer. A
// program that ended in between would leave them behind.
void settle_pool() {
  constexpr int kRounds = 4;  // such a task may start another
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  auto& service = crossplat::threadpool::shared_instance().service();
  for (int round = 0; round < kRounds; ++round) {
    const auto all_threads = std::make_shared<std::latch>(kPoolThreads);
    for (std::size_t thread = 0; thread < kPoolThreads; ++thread) {
      service.post([all_threads] { all_threads->arrive_and_wait(); });
    }
    all_threads->wait();
  }
}

// `certificate` is OpenSSL's verdict on the server's.
std::string in_words(const std::exception_ptr& thrown, int certificate) {
  if (certificate != X509_V_OK) {
    return std::string("the server's certificate was refused: ") +
           X509_verify_cert_error_string(certificate);
  }
  try {
    std::rethrow_exception(thrown);
  } catch (const web::http::http_exception& e) {
    // Boost 1.74 does not know OpenSSL 3's codes.
    const auto code = static_cast<unsigned long>(e.error_code().value());
    const char* const reason = ERR_reason_error_string(code);
    // The code is about the last of its attempts, with an address of another family.
    if (std::string_view(e.what()).starts_with("Failed to connect")) return "cannot connect";
    std::string why = e.error_code() ? e.error_code().message() : std::string();
    if (reason != nullptr && why.starts_with("Unknown")) why = reason;
    return why.empty() ? e.what() : std::string(e.what()) + ": " + why;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown failure";
  }
}

Reply reply_of(const web::http::http_response& response, const std::vector<unsigned char>& body) {
  Reply reply;
  reply.status = response.status_code();
  for (const auto& [name, value] : response.headers()) {
    reply.headers.emplace_back(lowered(name), value);
  }
  reply.body.assign(body.begin(), body.end());
  return reply;
}

// Sets what each connection trusts and presents, once on trial.
Status use_tls(http_client_config& config, const ClientTls& tls, const std::string& name,
               const Verdict& verdict) {
  curl::TlsMaterial material;
  for (const auto& [file, text] : {std::pair(&tls.ca_file, &material.ca),
                                   std::pair(&tls.certificate_file, &material.certificate),
                                   std::pair(&tls.key_file, &material.key)}) {
    if (file->empty() && text != &material.ca) continue;
    auto read = curl::read_pem(*file);
    if (!read) return read.error();
    *text = std::move(read).value();
  }
  const auto set_up = [material, name, verdict](ssl_ctx_st* context) -> Status {
    if (Status set = curl::set_up_tls(context, material); !set) return set;
    curl::CertificateVerdict::follow(context, verdict);
    return curl::require_name(context, name);
  };
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> trial(SSL_CTX_new(TLS_client_method()),
                                                                SSL_CTX_free);
  if (Status set = set_up(trial.get()); !set) return set;
  config.set_ssl_context_callback([set_up](boost::asio::ssl::context& context) {
    const Status set = set_up(context.native_handle());
    if (!set) throw std::runtime_error(set.error().message);
  });
  config.set_tlsext_sni_enabled(!curl::is_address(name));  // SNI takes names, not addresses
  return Done{};
}

}  // namespace

class HttpClient::Impl {
 public:
  Impl(ClientOptions options, Verdict verdict, std::string host, const std::string& base,
       const http_client_config& config)
      : options_(std::move(options)),
        verdict_(std::move(verdict)),
        host_(std::move(host)),
        client_(base, config) {}

  Result<Reply> exchange(std::string_view method, std::string_view path,
                         std::string_view content_type, std::string_view body, Duration timeout,
                         const std::stop_token& stop) {
    pplx::cancellation_token_source ended;
    const auto is_too_large = std::make_shared<std::atomic<bool>>(false);
    const auto answer = std::make_shared<std::promise<Result<Reply>>>();
    auto coming = answer->get_future();
    try {
      web::http::http_request request{std::string(method)};
      request.set_request_uri(web::uri(std::string(path)));
      if (!host_.empty()) request.headers().add("Host", host_);
      if (!options_.bearer_token.empty()) {
        request.headers().add("Authorization", "Bearer " + options_.bearer_token);
      }
      if (!body.empty() || method == "POST") {
        request.set_body(std::string(body), std::string(content_type));
      }
      request.set_progress_handler([ended, is_too_large](auto direction, auto so_far) {
        if (direction != web::http::message_direction::download || so_far <= kReplyMost) return;
        *is_too_large = true;
        ended.cancel();
      });
      start(request, ended, answer);
    } catch (const std::exception& failure) {
      return Error{failure.what(), options_.url};
    }
    const std::stop_callback on_stop(stop, [&ended] { ended.cancel(); });
    if (coming.wait_for(timeout) != std::future_status::ready) {
      ended.cancel();
      return Error{"timed out", options_.url};
    }
    Result<Reply> reply = coming.get();
    if (reply) return reply;
    if (stop.stop_requested()) return Error{"given up", options_.url};
    if (*is_too_large) return Error{"the reply is too large", options_.url};
    return Error{reply.error().message, options_.url};
  }

  Duration timeout() const { return options_.timeout; }

 private:
  void start(const web::http::http_request& request, const pplx::cancellation_token_source& ended,
             const std::shared_ptr<std::promise<Result<Reply>>>& answer) {
    client_.request(request, ended.get_token())
        .then([](web::http::http_response response) {
          return response.extract_vector().then([response](const std::vector<unsigned char>& body) {
            return reply_of(response, body);
          });
        })
        // The last link takes the task itself, so every failure is observed.
        .then([answer, verdict = verdict_](pplx::task<Reply> whole) {
          try {
            answer->set_value(whole.get());
          } catch (...) {
            answer->set_value(Error{in_words(std::current_exception(), verdict->code()), ""});
          }
        });
  }

  const ClientOptions options_;
  const Verdict verdict_;
  const std::string host_;  // the Host header, where the library's own is not right; or empty
  http_client client_;
};

std::string_view Reply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() {
  impl_.reset();
  settle_pool();
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(ClientOptions options) {
  const auto address = curl::parse_address(options.url);
  if (!address || !address->prefix.empty()) {
    return Error{"expected \"http://host:port\" or \"https://host:port\"", options.url};
  }
  const auto verdict = std::make_shared<curl::CertificateVerdict>();
  http_client_config config;
  config.set_timeout(kNever);
  config.set_max_redirects(0);
  // The library takes the TLS name from the Host header, and an IPv6 address without brackets.
  const bool is_v6 = address->host.find(':') != std::string::npos;
  std::string host = is_v6 ? address->authority() : "";
  if (address->scheme == "https") {
    if (!options.tls) return Error{"https needs an authority to trust", options.url};
    const std::string& name = options.tls->server_name;
    const Status used = use_tls(config, *options.tls, name.empty() ? address->host : name, verdict);
    if (!used) return used.error();
    host = name;
  }
  prepare_pool();
  const std::string base = address->scheme + "://" + address->host + ":" + address->port;
  const std::string url = options.url;
  try {
    return std::unique_ptr<HttpClient>(new HttpClient(
        std::make_unique<Impl>(std::move(options), verdict, std::move(host), base, config)));
  } catch (const std::exception& failure) {  // an address that the library does not take
    return Error{failure.what(), url};
  }
}

Result<Reply> HttpClient::get(std::string_view path, std::optional<Duration> timeout,
                              const std::stop_token& stop) {
  return exchange("GET", path, "", "", timeout, stop);
}

Result<Reply> HttpClient::post(std::string_view path, std::string_view body,
                               std::optional<Duration> timeout) {
  return exchange("POST", path, "application/json", body, timeout);
}

Result<Reply> HttpClient::exchange(std::string_view method, std::string_view path,
                                   std::string_view content_type, std::string_view body,
                                   std::optional<Duration> timeout, const std::stop_token& stop) {
  return impl_->exchange(method, path, content_type, body, timeout.value_or(impl_->timeout()),
                         stop);
}

}  // namespace berth::http
