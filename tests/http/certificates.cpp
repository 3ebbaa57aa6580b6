#include "http/certificates.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace berth::http::testing {
namespace {

template <class Write>
void write_file(const std::string& file, Write write) {
  const std::string fresh = file + ".new";
  std::FILE* const out = std::fopen(fresh.c_str(), "w");
  ASSERT_NE(out, nullptr) << fresh;
  EXPECT_EQ(write(out), 1);
  std::fclose(out);
  std::filesystem::rename(fresh, file);
}

void extend(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Unsigned, with everything but its extensions. A null issuer: its own.
X509* draft(const std::string& name, EVP_PKEY* key, X509* issuer) {
  static std::atomic<long> serial = 1;
  X509* const certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate));
  return certificate;
}

}  // namespace

struct Authority::Pair {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = nullptr;

  ~Pair() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-http-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() { std::filesystem::remove_all(path_); }

Authority::Authority(const std::string& name, const std::string& ca_file) : own_(new Pair) {
  own_->certificate = draft(name, own_->key, nullptr);
  extend(own_->certificate, own_->certificate, NID_basic_constraints, "critical,CA:TRUE");
  extend(own_->certificate, own_->certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  X509_sign(own_->certificate, own_->key, EVP_sha256());
  write_file(ca_file, [&](std::FILE* out) { return PEM_write_X509(out, own_->certificate); });
}

Authority::~Authority() { delete own_; }

void Authority::issue(const std::string& name, const std::string& certificate_file,
                      const std::string& key_file, const std::string& alternatives) const {
  Pair leaf;
  leaf.certificate = draft(name, leaf.key, own_->certificate);
  if (!alternatives.empty()) {
    extend(leaf.certificate, own_->certificate, NID_subject_alt_name, alternatives.c_str());
  }
  X509_sign(leaf.certificate, own_->key, EVP_sha256());
  write_file(certificate_file,
             [&](std::FILE* out) { return PEM_write_X509(out, leaf.certificate); });
  write_file(key_file, [&](std::FILE* out) {
    return PEM_write_PrivateKey(out, leaf.key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace berth::http::testing
