#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "http/http_client.h"

namespace berth::http {

// Reads one reply and skips interim ones (1xx).
class ReplyParser {
 public:
  explicit ReplyParser(bool is_head) : is_head_(is_head) { renew(); }

  // True: the reply is complete. False: more is to come.
  Result<bool> feed(std::string_view bytes);
  // No more will come.
  Status end();

  // Of a complete reply. May the connection serve another request?
  bool can_reuse() const;
  Reply take();

 private:
  using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

  void renew();

  bool is_head_;
  bool has_ended_ = false;
  std::string buffer_;  // what the parser has not taken yet
  std::optional<Parser> parser_;
};

}  // namespace berth::http
