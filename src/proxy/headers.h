#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/exchange.h"

namespace berth::proxy {

struct Refusal {
  int status = 0;  // 0: the request is good
  std::string why;
};

// The header of one request, field by field as it arrives, from a peer that may be hostile. It
// keeps a bounded number of bytes.
class HeaderBlock {
 public:
  HeaderBlock() = default;
  HeaderBlock(std::size_t max_bytes, std::size_t max_count);

  void add(std::string_view name, std::string_view value);
  void refuse(int status, std::string why);  // the first refusal stays

  // Checks what can be checked only now.
  Refusal finish(Request& into);

  std::optional<std::size_t> content_length() const { return content_length_; }

 private:
  void add_pseudo(std::string_view name, std::string_view value);
  void add_regular(std::string_view name, std::string_view value);

  std::size_t room_bytes_ = 0;
  std::size_t room_count_ = 0;
  Request request_;
  std::optional<std::size_t> content_length_;
  Refusal refusal_;
};

// Whether a header of a request says, to Kubernetes, on whose behalf it is made.
bool names_caller(const Header& header);

// Whether a header of an answer goes to the client: those that belong to a connection do not.
bool passes_downstream(const Header& header);

}  // namespace berth::proxy
