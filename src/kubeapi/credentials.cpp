#include "kubeapi/credentials.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "berth/base/text.h"
#include "curl/pem.h"
#include "kube/files.h"

namespace berth::kubeapi {

namespace {

curl::Certificate first_certificate(const std::string& pem) {
  return {PEM_read_bio_X509(curl::reading(pem).get(), nullptr, nullptr, nullptr), &X509_free};
}

std::string place_of(const Material& material, const char* what) {
  return material.file.empty() ? std::string(what) : material.file;
}

Status check(const TlsMaterial& tls, const Access& access) {
  ERR_clear_error();
  if (!tls.ca.empty() && !first_certificate(tls.ca)) {
    return Error{"no certificate authority in it, expected PEM",
                 place_of(access.ca, "certificate-authority")};
  }
  if (tls.certificate.empty() && tls.key.empty()) return Done{};
  const curl::Certificate certificate = first_certificate(tls.certificate);
  if (!certificate) {
    return Error{"no certificate in it, expected PEM",
                 place_of(access.client_certificate, "client-certificate")};
  }
  const curl::Key key(
      PEM_read_bio_PrivateKey(curl::reading(tls.key).get(), nullptr, &curl::no_password, nullptr),
      &EVP_PKEY_free);
  if (!key) {
    return Error{"no readable private key, expected PEM without a password",
                 place_of(access.client_key, "client-key")};
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return Error{"this key does not belong to the client certificate",
                 place_of(access.client_key, "client-key")};
  }
  return Done{};
}

}  // namespace

// API-7: changed files are read again. A mounted secret changes by a symbolic link, which stat
// follows.
Result<bool> Credentials::refresh(Source& source) {
  const Material& material = source.material;
  if (material.file.empty()) {
    const bool is_new = source.bytes != material.bytes;
    source.bytes = material.bytes;
    return is_new;
  }
  struct stat now {};
  if (stat(material.file.c_str(), &now) != 0) {
    return Error{std::string("cannot be read: ") + std::strerror(errno), material.file};
  }
  const std::int64_t changed =
      std::int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + std::int64_t{now.st_mtim.tv_nsec};
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (changed == source.changed_ns && size == source.size && now.st_ino == source.inode) {
    return false;
  }
  auto bytes = kube::read_file(material.file);
  if (!bytes) return bytes.error();
  if (trimmed(*bytes).empty()) return Error{"is empty", material.file};
  source.bytes = *std::move(bytes);
  source.changed_ns = changed;
  source.size = size;
  source.inode = now.st_ino;
  return true;
}

Result<std::shared_ptr<Credentials>> Credentials::open(Access access) {
  std::shared_ptr<Credentials> made(new Credentials(std::move(access)));
  const Access& given = made->access_;
  for (Source* const source : {&made->ca_, &made->certificate_, &made->key_, &made->token_}) {
    if (auto read = refresh(*source); !read) return read.error();
  }
  made->good_token_ = trimmed(made->token_.bytes);
  if (const std::string flaw = token_error(made->good_token_); !flaw.empty()) {
    return Error{flaw, place_of(given.token, "token")};
  }
  made->good_ = {made->ca_.bytes, made->certificate_.bytes, made->key_.bytes};
  if (Status status = check(made->good_, given); !status) return status.error();
  return made;
}

std::string Credentials::token() {
  const std::lock_guard lock(mutex_);
  const Result<bool> is_new = refresh(token_);
  // Without a valid one, the last valid token stays.
  if (is_new && *is_new && token_error(trimmed(token_.bytes)).empty()) {
    good_token_ = trimmed(token_.bytes);
  }
  return good_token_;
}

TlsMaterial Credentials::tls() {
  const std::lock_guard lock(mutex_);
  bool changed = false;
  for (Source* const source : {&ca_, &certificate_, &key_}) {
    const Result<bool> read = refresh(*source);
    changed = changed || (read && *read);
  }
  if (!changed) return good_;
  TlsMaterial fresh{ca_.bytes, certificate_.bytes, key_.bytes};
  if (check(fresh, access_)) {
    good_ = std::move(fresh);
  } else {
    // Only one of the pair was replaced: look again at the next connection.
    ca_.changed_ns = certificate_.changed_ns = key_.changed_ns = -1;
  }
  return good_;
}

}  // namespace berth::kubeapi
