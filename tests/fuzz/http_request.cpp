// Requests on a connection: any cut of its bytes gives the same ones.
#include "fuzz/fuzz.h"
#include "http/request_parser.h"

namespace berth::fuzz {
namespace {

using http::RequestParser;
using State = RequestParser::ParseState;

constexpr std::size_t kHeaderMost = 400;
constexpr std::size_t kBodyMost = 300;

// As a connection does it.
class Reader {
 public:
  void take(std::string_view piece) {
    if (parser_ == nullptr) return;
    buffer_ += piece;
    while (parser_ != nullptr) {
      // A copy of exactly these bytes, so that a read beyond is seen.
      const std::vector<char> bytes(buffer_.begin(), buffer_.end());
      const char* at = bytes.data();
      const State state = parser_->feed(at, bytes.data() + bytes.size());
      BERTH_CHECK(at >= bytes.data() && at <= bytes.data() + bytes.size());
      buffer_.erase(0, static_cast<std::size_t>(at - bytes.data()));
      if (state == State::need_more) return;
      if (state == State::done) finish();
      if (state == State::refused) refuse();
    }
  }
  // The requests that were taken. In one piece, a bad line is refused before its header is whole.
  const std::string& log() const { return log_; }

 private:
  void finish() {
    BERTH_CHECK(request_.path.starts_with('/') && request_.body.size() <= kBodyMost);
    BERTH_CHECK(request_.body.capacity() >= request_.body.size() + http::kBodyPadding);
    log_ += request_.method + " " + request_.path + "?" + request_.query + " " + request_.body +
            (parser_->is_keep_alive() ? " and more\n" : "\n");
    request_ = {};
    parser_ = std::make_unique<RequestParser>(request_, kHeaderMost, kBodyMost);
  }
  void refuse() {
    BERTH_CHECK(parser_->refusal_status() >= 400 && parser_->refusal_status() < 500);
    BERTH_CHECK(!parser_->refusal().empty());
    parser_ = nullptr;
  }

  http::Request request_;
  std::unique_ptr<RequestParser> parser_ =
      std::make_unique<RequestParser>(request_, kHeaderMost, kBodyMost);
  std::string buffer_;
  std::string log_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  Reader whole, cut;
  whole.take(input);
  for (const std::string_view piece : pieces_of(input)) cut.take(piece);
  BERTH_CHECK(cut.log() == whole.log());
  return 0;
}

}  // namespace berth::fuzz
