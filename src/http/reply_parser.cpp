#include "http/reply_parser.h"

#include <cstdint>

#include "http/chunked.h"

namespace berth::http {
namespace {

namespace beast = boost::beast;

constexpr std::uint64_t kReplyLimitBytes = std::uint64_t{256} << 20;

}  // namespace

void ReplyParser::renew() {
  parser_.emplace();
  parser_->body_limit(kReplyLimitBytes);
  parser_->skip(is_head_);
  parser_->eager(true);
}

Result<bool> ReplyParser::feed(std::string_view bytes) {
  buffer_ += bytes;
  for (;;) {
    const bool is_in_chunks = parser_->is_header_done() && parser_->chunked();
    if (buffer_.size() < (is_in_chunks ? kLastChunkBytes : 1)) return false;
    beast::error_code error;
    buffer_.erase(0, parser_->put({buffer_.data(), buffer_.size()}, error));
    if (error == beast::http::error::need_more) return false;
    if (error) return Error{"malformed reply: " + error.message(), ""};
    if (!parser_->is_done()) continue;
    if (parser_->get().result_int() / 100 != 1) return true;
    renew();
  }
}

Status ReplyParser::end() {
  has_ended_ = true;
  if (!parser_->got_some()) return Error{"connection closed before the reply", ""};
  beast::error_code error;
  parser_->put_eof(error);
  if (error) return Error{"connection closed within the reply", ""};
  return Done{};
}

bool ReplyParser::can_reuse() const {
  const bool is_delimited = parser_->content_length().has_value() && !parser_->chunked();
  return parser_->keep_alive() && is_delimited && !has_ended_ && buffer_.empty() &&
         parser_->get().result_int() == 200;
}

Reply ReplyParser::take() {
  Reply reply;
  reply.status = static_cast<int>(parser_->get().result_int());
  for (const auto& field : parser_->get()) {
    std::string name(field.name_string());
    for (char& letter : name) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    reply.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  reply.body = std::move(parser_->get().body());
  return reply;
}

}  // namespace berth::http
