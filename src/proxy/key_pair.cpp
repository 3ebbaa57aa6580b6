#include "proxy/key_pair.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

#include "http/tls_credentials.h"

namespace berth::proxy {
namespace {

constexpr long kDay = 24 * 60 * 60;
constexpr long kLifetime = 3653 * kDay;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Bio = std::unique_ptr<BIO, Free>;

Error failure(const std::string& file, const char* what) {
  return Error{std::string(what) + ": " + std::strerror(errno), file};
}

// Whether both files hold a matching pair that is valid for another day.
bool is_usable(const std::string& key_file, const std::string& certificate_file) {
  const auto context = http::make_server_context({certificate_file, key_file}, "view");
  ERR_clear_error();
  if (!context) return false;
  const X509* const certificate = SSL_CTX_get0_certificate((*context)->native_handle());
  std::time_t tomorrow = std::time(nullptr) + kDay;
  return X509_cmp_time(X509_get0_notAfter(certificate), &tomorrow) > 0 &&
         X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0;
}

bool extend(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool set_random_serial(X509* certificate) {
  std::uint64_t serial = 0;
  return RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1;
}

Certificate make_certificate(EVP_PKEY* key) {
  Certificate made(X509_new());
  X509* const certificate = made.get();
  if (!made || X509_set_version(certificate, 2) != 1 || !set_random_serial(certificate)) return {};
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60 * 60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kLifetime);
  X509_set_pubkey(certificate, key);
  static constexpr unsigned char kName[] = "berth view";
  X509_NAME* const name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, kName, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  static constexpr std::array<std::pair<int, const char*>, 5> kExtensions{{
      {NID_basic_constraints, "critical,CA:TRUE"},
      {NID_key_usage, "critical,digitalSignature,keyCertSign"},
      {NID_ext_key_usage, "serverAuth,clientAuth"},
      {NID_subject_key_identifier, "hash"},
      {NID_subject_alt_name, "IP:127.0.0.1,IP:::1,DNS:localhost"},
  }};
  for (const auto& [nid, value] : kExtensions) {
    if (!extend(certificate, nid, value)) return {};
  }
  return X509_sign(certificate, key, EVP_sha256()) > 0 ? std::move(made) : Certificate();
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// The mode is the file's from the beginning, and never another's file is written to.
Status write_file(const std::string& file, const std::string& text, mode_t mode) {
  const std::string fresh = file + ".new";
  ::unlink(fresh.c_str());
  const int out = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (out < 0) return failure(fresh, "cannot be made");
  const bool is_written =
      ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fchmod(out, mode) == 0 && ::fsync(out) == 0;
  if (!is_written) {
    Error error = failure(fresh, "cannot be written");
    ::close(out);
    ::unlink(fresh.c_str());
    return error;
  }
  ::close(out);
  if (std::rename(fresh.c_str(), file.c_str()) != 0) return failure(file, "cannot be replaced");
  return Done{};
}

}  // namespace

Status make_key_pair(const std::string& directory) {
  const std::string key_file = directory + "/view.key";
  const std::string certificate_file = directory + "/view.crt";
  if (is_usable(key_file, certificate_file)) return Done{};
  struct stat found = {};
  if (::stat(directory.c_str(), &found) != 0) return failure(directory, "cannot be read");
  if (!S_ISDIR(found.st_mode)) return Error{"expected a directory", directory};
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = key ? make_certificate(key.get()) : Certificate();
  const Bio key_text(BIO_new(BIO_s_mem()));
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const bool is_made = certificate && key_text && certificate_text &&
                       PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0,
                                                nullptr, nullptr) == 1 &&
                       PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1;
  if (!is_made) return Error{"cannot make a key and its certificate", directory};
  // A crash between the two leaves a pair that does not match: the next start replaces it.
  const mode_t key_mode = (found.st_mode & S_IRGRP) != 0 ? 0640 : 0600;
  Status written = write_file(key_file, text_of(key_text.get()), key_mode);
  if (!written) return written;
  return write_file(certificate_file, text_of(certificate_text.get()), 0644);
}

}  // namespace berth::proxy
