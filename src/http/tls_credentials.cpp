#include "http/tls_credentials.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

namespace berth::http {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::string_view kSessionName = "berth";

void append_stamp(std::string& to, const std::string& file) {
  struct stat found = {};
  if (!file.empty() && stat(file.c_str(), &found) == 0) {
    to += std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino) + ':' +
          std::to_string(found.st_size) + ':' + std::to_string(found.st_mtim.tv_sec) + '.' +
          std::to_string(found.st_mtim.tv_nsec);
  }
  to += ';';
}

}  // namespace

Result<std::shared_ptr<ssl::context>> make_server_context(const ServerTls& options,
                                                          std::string_view name) {
  std::string file = options.certificate_file;
  try {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* const native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_id_context(native, reinterpret_cast<const unsigned char*>(name.data()),
                                   static_cast<unsigned int>(name.size()));
    context->use_certificate_chain_file(file);
    file = options.key_file;
    context->use_private_key_file(file, ssl::context::pem);  // refuses a key of another certificate
    if (!options.client_ca_file.empty()) {
      file = options.client_ca_file;
      context->load_verify_file(file);
      context->set_verify_mode(options.requires_certificate
                                   ? ssl::verify_peer | ssl::verify_fail_if_no_peer_cert
                                   : ssl::verify_peer);
      SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(file.c_str()));
    }
    return context;
  } catch (const std::exception& failure) {
    return Error{std::string("cannot be loaded: ") + failure.what(), file};
  }
}

TlsCredentials::TlsCredentials(ServerTls options, Notice notice)
    : options_(std::move(options)),
      notice_(std::move(notice)),
      fingerprint_(fingerprint()),
      checked_(std::chrono::steady_clock::now()) {}

Result<std::unique_ptr<TlsCredentials>> TlsCredentials::load(ServerTls options, Notice notice) {
  // The fingerprint is taken before the files are read, so a change in between is seen next time.
  std::unique_ptr<TlsCredentials> made(new TlsCredentials(std::move(options), std::move(notice)));
  Result<std::shared_ptr<ssl::context>> context = make_server_context(made->options_, kSessionName);
  if (!context) return context.error();
  made->context_ = std::move(*context);
  return made;
}

std::shared_ptr<ssl::context> TlsCredentials::current() {
  const auto now = std::chrono::steady_clock::now();
  if (now - checked_ < options_.check_period) return context_;
  checked_ = now;
  std::string found = fingerprint();
  if (found == fingerprint_) {
    failure_.clear();
    return context_;
  }
  if (auto fresh = make_server_context(options_, kSessionName)) {
    context_ = std::move(*fresh);
    fingerprint_ = std::move(found);
    failure_.clear();
    notice_("certificate \"" + options_.certificate_file + "\" replaced");
  } else {
    ++failures_;
    std::string failure = fresh.error().to_string();
    if (failure == failure_) return context_;
    notice_(failure + "; the certificate in use stays");
    failure_ = std::move(failure);
  }
  return context_;
}

std::uint64_t TlsCredentials::expires() const {
  const X509* const leaf = SSL_CTX_get0_certificate(context_->native_handle());
  std::tm end = {};
  if (leaf == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(leaf), &end) != 1) return 0;
  return static_cast<std::uint64_t>(std::max<std::time_t>(0, ::timegm(&end)));
}

std::string TlsCredentials::fingerprint() const {
  std::string stamps;
  append_stamp(stamps, options_.certificate_file);
  append_stamp(stamps, options_.key_file);
  append_stamp(stamps, options_.client_ca_file);
  return stamps;
}

}  // namespace berth::http
