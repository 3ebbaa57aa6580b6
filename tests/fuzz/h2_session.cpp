// A client's HTTP/2: any cut of its bytes gives the same requests, and each can be answered.
#include "proxy/h2_session.h"

#include <map>

#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

proxy::Options options() {
  proxy::Options options;
  options.max_streams = 8;
  options.max_headers = 12;
  options.max_header_bytes = 512;
  return options;
}

class Server final : public proxy::H2Events {
 public:
  explicit Server(bool answers) : answers_(answers) {}

  bool take(std::string_view bytes) {
    if (!session_.receive(bytes)) return false;
    std::string out;
    return !answers_ || (session_.send(out, 1 << 16) && !session_.has_long_queue());
  }
  // A fault may be found at once, or be answered before the end.
  bool is_over() {
    std::string out;
    return !session_.send(out, 1 << 16) || session_.is_over();
  }
  const std::string& log() const { return log_; }

 private:
  void on_header(std::int32_t stream, proxy::HeaderBlock block, bool has_body) override {
    proxy::Request request;
    const proxy::Refusal refusal = block.finish(request);
    log(stream, refusal.status == 0 ? request.method + " " + request.target : refusal.why);
    for (const proxy::Header& header : request.headers) log_ += header.name + header.value + "\n";
    if (has_body) log(stream, "goes on");
    session_.submit_head(stream, refusal.status == 0 ? 200 : refusal.status, {{"x", "y"}}, true);
  }
  void on_body(std::int32_t stream, std::string_view bytes) override {
    bodies_[stream] += bytes;
    session_.consume(stream, bytes.size());
  }
  // Bodies that do not end are no part of it: of one that is too long, a part may have come.
  void on_body_end(std::int32_t stream) override { log(stream, "ends " + bodies_[stream]); }
  void on_stream_close(std::int32_t stream, std::uint32_t error) override {
    log(stream, "closes with " + std::to_string(error));
  }
  void on_output() override {}
  void on_frame(bool is_burden) override { log_ += is_burden ? "burden\n" : "frame\n"; }
  std::size_t read_answer(std::int32_t, char* into, std::size_t room, bool& is_end) override {
    is_end = true;
    if (room > 0) *into = 'a';
    return room > 0 ? 1 : 0;
  }

  void log(std::int32_t stream, const std::string& what) {
    log_ += std::to_string(stream) + " " + what + "\n";
  }

  const bool answers_;
  std::string log_;
  std::map<std::int32_t, std::string> bodies_;
  proxy::H2Session session_{options(), *this};
};

std::string read(const std::vector<std::string_view>& pieces, bool answers) {
  Server server(answers);
  bool goes_on = server.take(kPreface);
  for (const std::string_view piece : pieces) goes_on = goes_on && server.take(piece);
  const std::string log = server.log();
  return log + (goes_on && !server.is_over() ? "" : "over");
}

// nghttp2 ignores what follows a GOAWAY while nothing is under way, but for what comes with it in
// one piece.
std::string_view until_goaway(std::string_view input) {
  constexpr std::size_t kHeader = 9;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(input[i]); };
  for (std::size_t at = 0; at + kHeader <= input.size();) {
    const std::size_t length =
        std::size_t{byte(at)} << 16 | std::size_t{byte(at + 1)} << 8 | byte(at + 2);
    const bool is_goaway = byte(at + 3) == 7;
    at += kHeader + length;
    if (is_goaway) return input.substr(0, at);
  }
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = until_goaway(view_of(bytes, size));
  const auto pieces = pieces_of(input);
  BERTH_CHECK(read(pieces, false) == read({input}, false));
  read(pieces, true);
  return 0;
}

}  // namespace berth::fuzz
