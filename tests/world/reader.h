#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embedded/api_server.h"
#include "kubeapi/reflector.h"
#include "ports/event_sink.h"
#include "ports/watch_tap.h"
#include "world/faults.h"

namespace berth::world {

using embedded::ApiServer;
using embedded::Kind;

// The kinds that a berthd of a world reads.
inline constexpr Kind kKinds[] = {Kind::node,  Kind::pod,    Kind::group,
                                  Kind::queue, Kind::budget, Kind::owner};

// The answer to a request that went wrong.
kubeapi::Response response_of(Network::WriteFate fate);

// berthd's reflector of one kind, before the API server. Its lines have the names and versions of
// objects, and the sink gets the objects of these versions. Pods come in protobuf.
class Reader {
 public:
  // `tap` may be null. All must outlive this.
  Reader(Life& life, Network& network, ApiServer& server, Kind kind, ports::EventSink& sink,
         ports::WatchTap* tap, std::function<void()> posted);

  bool is_synced() const { return reflector_.is_synced(); }
  bool is_behind(Duration proved_within) const { return reflector_.is_behind(proved_within); }
  const std::string& name() const { return reflector_.name(); }
  void doubt_silence(Duration proved_within);
  // The server has something new.
  void wake();

 private:
  using Changes = std::vector<ApiServer::Change>;

  kubeapi::ReflectedKind reflected(ports::WatchTap* tap);
  kubeapi::ReflectorOptions options();
  void carry_out(kubeapi::Step step);
  void end_pause();
  void answer(kubeapi::Response response);
  kubeapi::Response page(const kubeapi::Request& request);
  void begin_watch(const kubeapi::Request& request);
  bool is_lost_to_the_end();
  void end_in_time();
  void deliver();
  void break_watch();
  void end_watch(std::string why = {});
  // False: the watch has ended.
  bool give_all(const Changes& changes);
  bool give(const std::string& frame);
  std::string frame_of(const ApiServer::Change& change) const;
  std::string bookmark() const;
  std::string error(int code) const;

  Life& life_;
  Network& network_;
  ApiServer& server_;
  const Kind kind_;
  ports::EventSink& sink_;
  const std::function<void()> posted_;
  const bool streams_lists_;  // the server offers it
  kubeapi::Reflector reflector_;
  std::map<std::string, ClusterEvent> coming_;  // by version
  // Of the server:
  Changes listed_;  // by a list in pages; the token of a page is where it begins
  std::uint64_t listed_version_ = 0;
  std::uint64_t pause_ = 0;  // the number of the last one
  bool is_pausing_ = false;
  std::uint64_t watch_ = 0;    // the number of the last one, or of the last request
  std::uint64_t version_ = 0;  // up to which the watch has brought all
  bool is_watched_ = false;
  bool is_dead_ = false;                 // the connection of the watch, which is not noticed yet
  bool is_on_its_way_ = false;           // a delivery
  std::optional<TimePoint> ends_since_;  // the time of the watch is over
};

}  // namespace berth::world
