#pragma once

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

// Certificates and keys as OpenSSL reads them from text.

namespace berth::curl {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// Reads these bytes, which must outlive it.
inline Bio reading(const std::string& bytes) {
  return {BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())), &BIO_free};
}

// OpenSSL must not ask at the terminal for the password of an encrypted key.
inline int no_password(char*, int, int, void*) { return 0; }

}  // namespace berth::curl
