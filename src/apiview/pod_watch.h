#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apiview/pods_request.h"
#include "podview/pod_stream.h"
#include "podview/pod_window.h"
#include "proxy/exchange.h"

namespace berth::apiview {

class PodInterceptor;

// One watch of all pods, or one streaming list.
class PodWatch final : public proxy::Exchange {
 public:
  PodWatch(PodInterceptor& owner, PodsRequest request, proxy::Reply& reply,
           podview::PodStream stream);
  ~PodWatch() override;

  void on_head(int status, proxy::Headers headers) override;
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_failure(const std::string& why) override;
  void on_closed(bool is_delivered) override;
  void on_room() override { read_window(); }

  // VIEW-17: leaves upstream unasked, if the window has all that the client lacks.
  void begin_in_window();
  // Goes on with the events of the window; from upstream's last one, as soon as that is there.
  void read_window();
  // Writes what the present table of shown pods changes.
  void follow();
  const podview::PodStream& stream() const { return stream_; }

 private:
  // `passing`: upstream answers with something else than events, an error for instance.
  enum class State : std::uint8_t { waiting, streaming, passing, ended, broken };

  void join_window();
  void leave_window();
  void take(const Status& taken, std::string out);
  void write(std::string bytes);

  PodInterceptor& owner_;
  const PodsRequest request_;
  proxy::Reply& reply_;
  podview::PodStream stream_;
  State state_ = State::waiting;
  std::optional<podview::PodWindow::Place> place_;  // none: upstream is read
};

}  // namespace berth::apiview
