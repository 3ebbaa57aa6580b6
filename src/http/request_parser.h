#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message.h"

namespace berth::http {

// Beast's parser, writing into a Request that outlives it. It also refuses input that Beast accepts
// but that two readers of one stream may understand differently. One per request.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  RequestParser(Request& into, std::size_t max_header_bytes, std::size_t max_body_bytes);

  enum class ParseState {
    need_more,  // all usable bytes have been used
    header,     // the header is complete; feed again
    done,
    refused,  // refusal_status() and refusal() say why; of no further use
  };

  // Takes bytes from [begin, end) and moves `begin` past the used ones.
  ParseState feed(const char*& begin, const char* end);

  int refusal_status() const { return refusal_status_; }
  std::string_view refusal() const { return refusal_; }

  bool is_keep_alive() const { return keep_alive(); }  // from ParseState::header on
  bool is_http_1_0() const { return version_ == 10; }
  bool expects_continue() const { return expects_continue_; }

 private:
  using Ec = boost::beast::error_code;
  using View = boost::beast::string_view;

  ParseState refuse(int status, std::string_view why);
  ParseState refuse(const Ec& error);
  ParseState check_header();

  void on_request_impl(boost::beast::http::verb, View method, View target, int version,
                       Ec&) override;
  void on_response_impl(int, View, int, Ec&) override {}
  void on_field_impl(boost::beast::http::field, View name, View value, Ec&) override;
  void on_header_impl(Ec&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Ec&) override;
  std::size_t on_body_impl(View bytes, Ec&) override;
  void on_chunk_header_impl(std::uint64_t, View, Ec&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, Ec&) override;
  void on_finish_impl(Ec&) override;

  Request& request_;
  const std::size_t header_most_;
  std::size_t header_bytes_ = 0;
  int version_ = 0;  // 10 or 11; 0 while there is no request line
  int hosts_ = 0;
  int content_lengths_ = 0;
  int authorizations_ = 0;
  bool bad_encoding_ = false;
  bool bad_expectation_ = false;
  bool expects_continue_ = false;
  int refusal_status_ = 0;
  std::string_view refusal_;
};

}  // namespace berth::http
