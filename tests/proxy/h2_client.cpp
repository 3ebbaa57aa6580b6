#include "proxy/h2_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace berth::proxy::testing {
namespace {

std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

std::string text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::string Call::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const Header& header) { return header.name == name; });
  return found == headers.end() ? "" : found->value;
}

// nghttp2's callbacks.
struct ClientCallbacks {
  static H2Client& self(void* user) { return *static_cast<H2Client*>(user); }

  static Call* find(void* user, std::int32_t stream) {
    const auto found = self(user).calls_.find(stream);
    return found == self(user).calls_.end() ? nullptr : found->second.get();
  }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    Call* const call = find(user, frame->hd.stream_id);
    if (call == nullptr) return 0;
    const std::string field = text_of(name, name_size);
    const std::string text = text_of(value, value_size);
    if (field == ":status") {
      call->status = std::stoi(text);
    } else {
      call->headers.push_back({field, text});
    }
    return 0;
  }

  static int data(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                  const std::uint8_t* bytes, std::size_t size, void* user) {
    nghttp2_session_consume_connection(session, size);
    Call* const call = find(user, stream);
    if (call == nullptr) return 0;
    call->body += text_of(bytes, size);
    if (call->reads) nghttp2_session_consume_stream(session, stream, size);
    return 0;
  }

  static int frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      self(user).has_goaway_ = true;
      self(user).goaway_error_ = frame->goaway.error_code;
    }
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    const bool is_answer = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    Call* const call = find(user, frame->hd.stream_id);
    if (call != nullptr && is_answer && ends) call->is_ended = true;
    return 0;
  }

  static int stream_close(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* user) {
    Call* const call = find(user, stream);
    if (call == nullptr) return 0;
    call->is_closed = true;
    call->error = error;
    return 0;
  }

  static ssize_t read(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Call& call = *static_cast<Call*>(source->ptr);
    const std::size_t size = std::min(room, call.to_send.size());
    std::memcpy(into, call.to_send.data(), size);
    call.to_send.erase(0, size);
    if (call.to_send.empty() && call.is_sent_whole) *flags |= NGHTTP2_DATA_FLAG_EOF;
    const bool is_end = (*flags & NGHTTP2_DATA_FLAG_EOF) != 0;
    if (size == 0 && !is_end) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(size);
  }
};

H2Client::H2Client(std::uint16_t port, const Identity& identity, std::uint32_t stream_window) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to a socket that the proxy may have closed
  if (connect(port, identity)) begin_session(stream_window);
}

H2Client::~H2Client() {
  nghttp2_session_del(session_);
  SSL_free(tls_);
  SSL_CTX_free(context_);
  if (socket_ >= 0) ::close(socket_);
}

bool H2Client::connect(std::uint16_t port, const Identity& identity) {
  context_ = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  if (identity.highest_tls != 0) {
    SSL_CTX_set_security_level(context_, 0);  // or the client itself would refuse
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, identity.highest_tls);
  }
  EXPECT_EQ(SSL_CTX_load_verify_file(context_, identity.ca_file.c_str()), 1) << identity.ca_file;
  if (!identity.certificate_file.empty()) {
    EXPECT_EQ(
        SSL_CTX_use_certificate_file(context_, identity.certificate_file.c_str(), SSL_FILETYPE_PEM),
        1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_, identity.key_file.c_str(), SSL_FILETYPE_PEM),
              1);
  }
  if (!identity.protocols.empty()) {
    SSL_CTX_set_alpn_protos(context_, bytes_of(identity.protocols),
                            static_cast<unsigned>(identity.protocols.size()));
  }
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit = {std::chrono::seconds(kPatience).count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const int at_once = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
  tls_ = SSL_new(context_);
  SSL_set_fd(tls_, socket_);
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_), "127.0.0.1");
  if (SSL_connect(tls_) != 1) return false;
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  return true;
}

void H2Client::begin_session(std::uint32_t stream_window) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, ClientCallbacks::header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, ClientCallbacks::data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, ClientCallbacks::frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, ClientCallbacks::stream_close);
  nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 64 << 20);
}

std::uint32_t H2Client::max_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

Call& H2Client::send(const std::vector<std::pair<std::string, std::string>>& fields,
                     std::string body, bool has_body, bool is_whole) {
  std::vector<nghttp2_nv> made;
  for (const auto& [name, value] : fields) {
    made.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), 0});
  }
  auto call = std::make_unique<Call>();
  call->to_send = std::move(body);
  call->is_sent_whole = is_whole;
  nghttp2_data_provider source = {};
  source.source.ptr = call.get();
  source.read_callback = ClientCallbacks::read;
  call->id = nghttp2_submit_request(session_, nullptr, made.data(), made.size(),
                                    has_body ? &source : nullptr, nullptr);
  EXPECT_GT(call->id, 0);
  return *(calls_[call->id] = std::move(call));
}

Call& H2Client::get(const std::string& target, const Headers& headers) {
  std::vector<std::pair<std::string, std::string>> fields = {
      {":method", "GET"}, {":scheme", "https"}, {":authority", "view"}, {":path", target}};
  for (const Header& header : headers) fields.emplace_back(header.name, header.value);
  return send(fields);
}

Call& H2Client::post(const std::string& target, std::string body, const Headers& headers) {
  std::vector<std::pair<std::string, std::string>> fields = {
      {":method", "POST"}, {":scheme", "https"}, {":authority", "view"}, {":path", target}};
  for (const Header& header : headers) fields.emplace_back(header.name, header.value);
  return send(fields, std::move(body), true);
}

void H2Client::add_body(Call& call, std::string_view bytes, bool is_whole) {
  call.to_send += bytes;
  call.is_sent_whole = is_whole;
  nghttp2_session_resume_data(session_, call.id);
}

void H2Client::reset(Call& call) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call.id, NGHTTP2_CANCEL);
}

void H2Client::read_on(Call& call) {
  call.reads = true;
  nghttp2_session_consume_stream(session_, call.id, call.body.size());
}

void H2Client::ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

bool H2Client::flush() {
  for (;;) {
    while (out_.size() < (256U << 10)) {
      const std::uint8_t* frame = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &frame);
      if (size < 0) return false;
      if (size == 0) break;
      out_ += text_of(frame, static_cast<std::size_t>(size));
    }
    if (out_.empty()) return true;
    const int size = SSL_write(tls_, out_.data(), static_cast<int>(out_.size()));
    if (size <= 0) {
      const int error = SSL_get_error(tls_, size);
      return error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ;
    }
    out_.erase(0, static_cast<std::size_t>(size));
  }
}

bool H2Client::step() {
  const bool is_writable = flush();  // if not, the reason may be there to read
  pollfd watched = {socket_, static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  if (SSL_pending(tls_) == 0) poll(&watched, 1, 20);
  char bytes[64 << 10];
  const int size = SSL_read(tls_, bytes, sizeof bytes);
  if (size > 0) {
    const auto used =
        nghttp2_session_mem_recv(session_, bytes_of(bytes), static_cast<std::size_t>(size));
    return used == size;
  }
  const int error = SSL_get_error(tls_, size);
  return is_writable && (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE);
}

bool H2Client::run_until(const std::function<bool()>& is_true) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_true()) {
    if (is_over_ || session_ == nullptr || std::chrono::steady_clock::now() > deadline) {
      return is_true();
    }
    if (!step()) is_over_ = true;
  }
  if (!is_over_ && session_ != nullptr) flush();
  return true;
}

bool H2Client::run() {
  return run_until([&] {
    return std::all_of(calls_.begin(), calls_.end(),
                       [](const auto& each) { return each.second->is_answer(); });
  });
}

}  // namespace berth::proxy::testing
