#include "http/request_parser.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <utility>

namespace berth::http {
namespace {

namespace beast = boost::beast;

// The most memory that a length in a header may reserve before the body comes.
constexpr std::size_t kTrustedLength = std::size_t{1} << 20;
// The shortest end of a chunked body is so long: never less is still to come. Beast asserts that it
// is given no less of a last chunk.
constexpr std::size_t kLastChunkBytes = std::string_view("0\r\n\r\n").size();

}  // namespace

RequestParser::RequestParser(Request& into, std::size_t max_header_bytes,
                             std::size_t max_body_bytes)
    : request_(into), header_most_(max_header_bytes) {
  header_limit(static_cast<std::uint32_t>(max_header_bytes));
  body_limit(std::uint64_t{max_body_bytes});
}

RequestParser::ParseState RequestParser::feed(const char*& begin, const char* end) {
  for (;;) {
    if (is_done()) return ParseState::done;
    if (begin == end) return ParseState::need_more;
    const auto length = static_cast<std::size_t>(end - begin);
    if (is_header_done() && chunked() && length < kLastChunkBytes) return ParseState::need_more;
    const bool had_header = is_header_done();
    Ec error;
    const std::size_t used = put({begin, length}, error);
    begin += used;
    if (!had_header) header_bytes_ += used;
    if (error == beast::http::error::need_more) return ParseState::need_more;
    if (error == beast::http::error::header_limit) {
      // Beast may look for the end of the header before it looks at the request line.
      const bool has_line = version_ != 0 || std::find(begin, end, '\n') != end;
      return has_line ? refuse(431, "headers too long") : refuse(414, "request line too long");
    }
    if (error) return refuse(error);
    if (!had_header && is_header_done()) return check_header();
  }
}

RequestParser::ParseState RequestParser::refuse(int status, std::string_view why) {
  refusal_status_ = status;
  refusal_ = why;
  return ParseState::refused;
}

RequestParser::ParseState RequestParser::refuse(const Ec& failure) {
  using beast::http::error;
  if (failure == error::body_limit) return refuse(413, "body too large");
  if (failure == error::bad_version) return refuse(400, "unsupported protocol version");
  if (failure == error::bad_content_length) return refuse(400, "bad Content-Length");
  if (failure == error::bad_transfer_encoding) return refuse(400, "bad Transfer-Encoding");
  if (failure == error::bad_chunk) return refuse(400, "bad chunk");
  if (failure == error::bad_chunk_extension) return refuse(400, "bad chunk extension");
  return refuse(400, "malformed request");
}

RequestParser::ParseState RequestParser::check_header() {
  // Beast lets the request line and the fields have so many bytes each, if they come together.
  if (header_bytes_ > header_most_) return refuse(431, "headers too long");
  if (bad_encoding_) return refuse(400, "bad Transfer-Encoding");
  if (hosts_ > 1 || (hosts_ == 0 && version_ == 11)) return refuse(400, "expected one Host");
  if (request_.path.empty() || request_.path.front() != '/') {
    return refuse(400, "expected an absolute path");
  }
  if (authorizations_ > 1) return refuse(400, "expected one Authorization");
  if (bad_expectation_) return refuse(417, "unknown expectation");
  const bool carries_body =
      request_.method == "POST" || request_.method == "PUT" || request_.method == "PATCH";
  if (carries_body && content_lengths_ == 0 && !chunked()) {
    return refuse(411, "expected a Content-Length");
  }
  return ParseState::header;
}

void RequestParser::on_request_impl(beast::http::verb, View method, View target, int version, Ec&) {
  version_ = version;
  request_.method.assign(method.data(), method.size());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request_.path.assign(target.data(), mark);
  for (std::string* const each : {&request_.query, &request_.authorization, &request_.host,
                                  &request_.if_none_match, &request_.accept_encoding}) {
    each->clear();
  }
  if (mark < target.size()) {
    request_.query.assign(target.data() + mark + 1, target.size() - mark - 1);
  }
}

void RequestParser::on_field_impl(beast::http::field name, View, View value, Ec&) {
  using beast::http::field;
  const std::pair<field, std::string*> kept[] = {
      {field::authorization, &request_.authorization},
      {field::host, &request_.host},
      {field::if_none_match, &request_.if_none_match},
      {field::accept_encoding, &request_.accept_encoding}};
  for (const auto& [each, text] : kept) {
    if (each == name) text->assign(value.data(), value.size());
  }
  authorizations_ += name == field::authorization;
  hosts_ += name == field::host;
  content_lengths_ += name == field::content_length;
  // With any encoding besides "chunked", Beast would see a request without a body.
  bad_encoding_ |= name == field::transfer_encoding && !beast::iequals(value, "chunked");
  if (name != field::expect) return;
  expects_continue_ = beast::iequals(value, "100-continue");
  bad_expectation_ = !expects_continue_;
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, Ec&) {
  const std::uint64_t announced = length ? *length : 0;
  request_.body.reserve(std::min<std::uint64_t>(announced, kTrustedLength) + kBodyPadding);
}

std::size_t RequestParser::on_body_impl(View bytes, Ec&) {
  request_.body.append(bytes.data(), bytes.size());
  return bytes.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, View bytes, Ec&) {
  request_.body.append(bytes.data(), bytes.size());
  return bytes.size();
}

void RequestParser::on_finish_impl(Ec&) {
  request_.body.reserve(request_.body.size() + kBodyPadding);
}

}  // namespace berth::http
