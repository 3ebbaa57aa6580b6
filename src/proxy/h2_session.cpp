#include "proxy/h2_session.h"

#include <nghttp2/nghttp2.h>

#include <array>
#include <vector>

#include "berth/base/check.h"

namespace berth::proxy {
namespace {

// A body that is not consumed takes this much of memory.
constexpr std::uint32_t kStreamWindow = 64 << 10;
constexpr std::int32_t kConnectionWindow = 1 << 20;

// Frames that wait to be written: acknowledgements and resets.
constexpr std::size_t kLongQueue = 1000;

template <class Text>
std::uint8_t* bytes_of(const Text& text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

std::string_view view_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::string_view view_of(nghttp2_rcbuf* buffer) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);
  return view_of(bytes.base, bytes.len);
}

bool ends_stream(const nghttp2_frame_hd& header) {
  return (header.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

// Small frames that cost us more than the client.
bool is_burden(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_PING:
    case NGHTTP2_SETTINGS:
    case NGHTTP2_PRIORITY:
    case NGHTTP2_RST_STREAM:
      return true;
    case NGHTTP2_DATA:
      return frame.hd.length == 0 && !ends_stream(frame.hd);
    default:
      return false;
  }
}

}  // namespace

// nghttp2's callbacks, as functions of the session.
struct H2Callbacks {
  static H2Session& self(void* user) { return *static_cast<H2Session*>(user); }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    H2Session& session = self(user);
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    session.block_ = HeaderBlock(session.max_header_bytes_, session.max_headers_);
    session.block_stream_ = frame->hd.stream_id;
    return 0;
  }

  static int header(nghttp2_session*, const nghttp2_frame* frame, nghttp2_rcbuf* name,
                    nghttp2_rcbuf* value, std::uint8_t, void* user) {
    H2Session& session = self(user);
    if (frame->hd.stream_id != session.block_stream_) return 0;  // a trailer
    session.block_.add(view_of(name), view_of(value));
    return 0;
  }

  static int invalid_header(nghttp2_session*, const nghttp2_frame* frame, nghttp2_rcbuf*,
                            nghttp2_rcbuf*, std::uint8_t, void* user) {
    H2Session& session = self(user);
    if (frame->hd.stream_id != session.block_stream_) return 0;
    session.block_.refuse(400, "malformed header");
    return 0;
  }

  static int frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    H2Session& session = self(user);
    const std::int32_t stream = frame->hd.stream_id;
    session.events_.on_frame(is_burden(*frame));
    if (frame->hd.type == NGHTTP2_HEADERS && stream == session.block_stream_) {
      session.block_stream_ = 0;
      session.events_.on_header(stream, std::move(session.block_), !ends_stream(frame->hd));
    } else if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
               ends_stream(frame->hd)) {
      session.events_.on_body_end(stream);
    }
    return 0;
  }

  static int data(nghttp2_session* native, std::uint8_t, std::int32_t stream,
                  const std::uint8_t* bytes, std::size_t size, void* user) {
    // A body that waits must not keep other streams from arriving.
    nghttp2_session_consume_connection(native, size);
    self(user).events_.on_body(stream, view_of(bytes, size));
    return 0;
  }

  static int stream_close(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* user) {
    H2Session& session = self(user);
    if (stream == session.block_stream_) session.block_stream_ = 0;
    session.events_.on_stream_close(stream, error);
    return 0;
  }

  // An answer that is whole before its request: the rest of the request is not wanted.
  static int frame_sent(nghttp2_session* native, const nghttp2_frame* frame, void*) {
    const bool is_answer = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (is_answer && ends_stream(frame->hd) &&
        nghttp2_session_get_stream_remote_close(native, frame->hd.stream_id) == 0) {
      nghttp2_submit_rst_stream(native, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static ssize_t read(nghttp2_session*, std::int32_t stream, std::uint8_t* into, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
    bool is_end = false;
    const std::size_t size = static_cast<H2Events*>(source->ptr)
                                 ->read_answer(stream, reinterpret_cast<char*>(into), room, is_end);
    if (is_end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (size == 0 && !is_end) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(size);
  }
};

H2Session::H2Session(const Options& options, H2Events& events)
    : events_(events),
      max_header_bytes_(options.max_header_bytes),
      max_headers_(options.max_headers) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, H2Callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback2(callbacks, H2Callbacks::header);
  nghttp2_session_callbacks_set_on_invalid_header_callback2(callbacks, H2Callbacks::invalid_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, H2Callbacks::frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, H2Callbacks::data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, H2Callbacks::stream_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, H2Callbacks::frame_sent);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_outbound_ack(option, 100);
  BERTH_CHECK(nghttp2_session_server_new2(&session_, callbacks, this, option) == 0);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const std::array<nghttp2_settings_entry, 3> settings{{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(options.max_header_bytes)},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

H2Session::~H2Session() { nghttp2_session_del(session_); }

bool H2Session::receive(std::string_view bytes) {
  const ssize_t used = nghttp2_session_mem_recv(session_, bytes_of(bytes), bytes.size());
  return used == static_cast<ssize_t>(bytes.size());
}

bool H2Session::send(std::string& out, std::size_t most) {
  while (out.size() < most) {
    const std::uint8_t* frame = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &frame);
    if (size < 0) return false;
    if (size == 0) return true;
    out += view_of(frame, static_cast<std::size_t>(size));
  }
  return true;
}

bool H2Session::is_over() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

bool H2Session::has_long_queue() const {
  return nghttp2_session_get_outbound_queue_size(session_) > kLongQueue;
}

void H2Session::submit_head(std::int32_t stream, int status, const Headers& headers,
                            bool has_body) {
  const std::string code = std::to_string(status);
  static constexpr std::string_view kStatus = ":status";
  std::vector<nghttp2_nv> fields;
  fields.reserve(headers.size() + 1);
  fields.push_back({bytes_of(kStatus), bytes_of(code), kStatus.size(), code.size(), 0});
  for (const Header& header : headers) {
    fields.push_back({bytes_of(header.name), bytes_of(header.value), header.name.size(),
                      header.value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider body = {};
  body.source.ptr = &events_;
  body.read_callback = H2Callbacks::read;
  nghttp2_submit_response(session_, stream, fields.data(), fields.size(),
                          has_body ? &body : nullptr);
  events_.on_output();
}

void H2Session::resume(std::int32_t stream) {
  nghttp2_session_resume_data(session_, stream);
  events_.on_output();
}

void H2Session::reset(std::int32_t stream) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
  events_.on_output();
}

void H2Session::consume(std::int32_t stream, std::size_t bytes) {
  nghttp2_session_consume_stream(session_, stream, bytes);
  events_.on_output();
}

void H2Session::go_away(std::uint32_t error) {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), error, nullptr, 0);
}

}  // namespace berth::proxy
