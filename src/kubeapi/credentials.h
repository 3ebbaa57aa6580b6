#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "berth/base/result.h"
#include "curl/tls.h"
#include "kubeapi/access.h"

namespace berth::kubeapi {

using curl::TlsMaterial;

// The bytes of an Access. Changed files are read again. While they are unreadable or do not fit
// together, the last valid ones stay. Any thread.
class Credentials {
 public:
  // An Error if something is unreadable or no PEM, or if certificate and key do not fit.
  static Result<std::shared_ptr<Credentials>> open(Access access);

  const Access& access() const { return access_; }
  std::string token();
  TlsMaterial tls();

 private:
  struct Source {
    const Material& material;
    std::string bytes = {};  // its last content
    std::int64_t changed_ns = -1;
    std::uint64_t size = 0;
    std::uint64_t inode = 0;
  };

  explicit Credentials(Access access) : access_(std::move(access)) {}
  // True if there are new bytes.
  static Result<bool> refresh(Source& source);

  const Access access_;
  std::mutex mutex_;
  Source ca_{access_.ca};
  Source certificate_{access_.client_certificate};
  Source key_{access_.client_key};
  Source token_{access_.token};
  TlsMaterial good_;
  std::string good_token_;
};

}  // namespace berth::kubeapi
