#include "kubeapi/reflector.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "berth/base/thread_name.h"
#include "kubeapi/answer.h"
#include "kubeapi/backoff.h"
#include "kubeapi/kept_keys.h"
#include "kubeapi/known_objects.h"
#include "kubeapi/object_reader.h"
#include "ports/resource_version.h"

// The states of a reflector. Every failure leads to a wait, and then to a list or a watch:
//
//            ┌──── failed, dead, aborted: wait, from the last version seen ───────┐
//            ▼                                                                    │
//   list ──► watch ───────────────────────────────────────────────────────────────┘
//    ▲         │
//    └─────────┴─ 410, version out of order, answers that are errors three times in a row

namespace berth::kubeapi {

namespace {

constexpr int kExpiredPagesMax = 2;   // then the list is requested in one piece
constexpr int kStreamedListsMax = 3;  // broken ones in a row; then pages are requested
constexpr int kFailedWatchesMax = 3;  // in a row with an answer but without events
constexpr int kAbsentMax = 3;         // in a row; then all known objects are gone
constexpr std::chrono::seconds kShortWatch{1};

bool ends_initial_events(const document::Value& bookmark) {
  const document::Value* metadata = bookmark.find("metadata");
  const document::Value* annotations =
      metadata == nullptr ? nullptr : metadata->find("annotations");
  const document::Value* end =
      annotations == nullptr ? nullptr : annotations->find(kInitialEventsEnd);
  return end != nullptr && end->text == "true";
}

// A refusal of the request itself: the server does not know streaming lists.
bool is_refusal(int status) {
  constexpr int kOther[] = {401, 403, 404, 408, 410, 429};
  return status >= 400 && status < 500 &&
         std::find(std::begin(kOther), std::end(kOther), status) == std::end(kOther);
}

}  // namespace

class Reflector::Impl {
 public:
  Impl(RestClient& client, ReflectedKind kind, ReflectorOptions options)
      : client_(client),
        kind_(std::move(kind)),
        options_(std::move(options)),
        known_(kind_, options_),
        reader_(kind_.format == Format::json ? json_reader(kind_.keeps)
                                             : protobuf_reader(kind_.type)),
        backoff_(options_.retry_least, options_.retry_most, options_.seed),
        streams_lists_(options_.streaming_list) {}
  ~Impl() { stop(); }

  void start() {
    if (!thread_.joinable() && !cancel_.is_cancelled()) thread_ = std::thread([this] { run(); });
  }

  void stop() {
    cancel_.cancel();
    if (thread_.joinable()) thread_.join();
  }

  bool is_synced() const { return is_synced_; }
  bool is_behind() const { return is_synced_ && is_listing_; }
  const std::string& name() const { return kind_.name; }

  ReflectorCounters counters() const {
    ReflectorCounters counters = known_.counters();
    counters.lists = lists_;
    counters.watches = watches_;
    counters.failures = failures_;
    counters.is_synced = is_synced_;
    return counters;
  }

 private:
  // The result of one stream of events.
  struct WatchStream {
    bool is_initial = false;  // a streaming list before its end
    bool has_progressed = false;
    bool must_list = false;
    Duration length = {};  // as requested
    std::optional<Error> error;
    Cancellation cancel;
  };

  void run() {
    name_thread("watch " + kind_.name);
    while (!cancel_.is_cancelled()) {
      if (!version_.empty()) {
        watch();
      } else if (streams_lists_ && broken_lists_ < kStreamedListsMax) {
        watch();  // with a list at its start
      } else {
        list_in_pages();
      }
    }
  }

  void forget_version() {  // it lists again
    version_.clear();
    is_listing_ = true;
  }

  // API-17: an interrupted wait ends the reflector.
  void wait(Duration duration) { (void)cancel_.wait_for(duration); }

  void fail(const Error& error, std::optional<Duration> retry_after = std::nullopt) {
    if (cancel_.is_cancelled()) return;
    ++failures_;
    known_.complain(error);
    wait(std::max(backoff_.next(), retry_after.value_or(Duration{})));
  }

  std::string path_with(const std::string& query) const {
    return kind_.path + "?" + (kind_.query.empty() ? "" : kind_.query + "&") + query;
  }

  Error unreadable(const Error& error, std::string_view text) const {
    const bool is_json = kind_.format == Format::json;
    return {std::string("expected ") + (is_json ? "JSON" : "protobuf") + " from " +
                client_.server() + (is_json ? ", got " + first_characters(text) : "") + ": " +
                error.to_string(),
            kind_.path};
  }

  Error failure(const Response& response) const { return {response.to_string(), kind_.path}; }

  // A request that stop() interrupts.
  Response ask(Request request) {
    struct Answer {
      std::mutex mutex;
      std::condition_variable_any came;
      std::optional<Response> response;
    };
    auto answer = std::make_shared<Answer>();
    client_.send(std::move(request), [answer](Response response) {
      const std::lock_guard lock(answer->mutex);
      answer->response = std::move(response);
      answer->came.notify_all();
    });
    std::unique_lock lock(answer->mutex);
    const bool came =
        answer->came.wait(lock, cancel_.token(), [&] { return answer->response.has_value(); });
    Response cancelled;
    cancelled.error = "cancelled";
    return came ? std::move(*answer->response) : cancelled;
  }

  // API-12: pages of one version. An expired token restarts the list. In the end, all items are
  // requested at once.
  void list_in_pages() {
    known_.begin_list();
    std::string token;
    do {
      Request request;
      request.format = kind_.format;
      const bool is_paged = expired_pages_ < kExpiredPagesMax;
      request.path =
          path_with(is_paged ? "limit=" + std::to_string(options_.page_size) : "limit=0");
      if (!token.empty()) request.path += "&continue=" + url_encoded(token);
      Response response = ask(std::move(request));
      if (cancel_.is_cancelled()) return;
      if (response.status == 410 && !token.empty()) {
        ++expired_pages_;
        return fail(failure(response));
      }
      if (!response.ok()) return list_failed(response);
      const auto page = reader_->read_page(
          response.body, [this](const document::Value& item) { known_.change(item); });
      if (!page) return fail(unreadable(page.error(), response.body));
      token = page->continue_token;
      version_of_list_ = page->resource_version;
    } while (!token.empty() && !cancel_.is_cancelled());
    if (cancel_.is_cancelled()) return;
    expired_pages_ = 0;
    list_ended(version_of_list_);
  }

  void list_ended(const std::string& version) {
    known_.end_list();
    ++lists_;
    version_ = version.empty() ? "0" : version;
    listed_at_ = clock_.now();
    absent_ = broken_lists_ = failed_watches_ = 0;
    backoff_.reset();
    if (kind_.tap != nullptr) kind_.tap->listed(version_);
    if (kind_.listed) kind_.listed();
    is_listing_ = false;
    is_synced_ = true;
  }

  // Nobody waits for an optional kind that is not to be had.
  void settle_for_nothing() {
    if (kind_.required) return;
    is_listing_ = false;
    is_synced_ = true;
  }

  // API-16: an API that is not served is tried again, slowly.
  void list_failed(const Response& response) {
    const bool is_absent = response.status == 404;
    if (!is_absent) {
      absent_ = 0;
      // An optional kind without the right to read it counts as empty. Rights may also come a
      // little after the server, so the list is retried like any failure.
      if (response.status == 403) settle_for_nothing();
      return fail(failure(response), response.retry_after);
    }
    if (cancel_.is_cancelled()) return;
    ++failures_;
    if (kind_.required) known_.complain(failure(response));
    if (++absent_ >= kAbsentMax) {
      known_.begin_list();
      known_.end_list();
    }
    settle_for_nothing();
    wait(backoff_.spread(options_.absent_retry));
  }

  Request watch_request(WatchStream& stream) {
    const Duration requested =
        backoff_.spread(stream.is_initial ? options_.list_length : options_.watch_length);
    const auto length = std::max(std::chrono::duration_cast<std::chrono::seconds>(requested),
                                 std::chrono::seconds(1));
    stream.length = length;
    Request request;
    request.path = path_with("watch=true&allowWatchBookmarks=true&timeoutSeconds=" +
                             std::to_string(length.count()));
    request.path += stream.is_initial ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                      : "&resourceVersion=" + url_encoded(version_);
    request.format = kind_.format;
    request.idle_timeout = options_.idle_timeout;
    return request;
  }

  // API-14: starts from the last version seen. Without a version, the server first sends the
  // existing objects, and a bookmark at their end.
  void watch() {
    WatchStream stream;
    stream.is_initial = version_.empty();
    if (stream.is_initial) known_.begin_list();
    const std::stop_callback chain(cancel_.token(), [&] { stream.cancel.cancel(); });
    const TimePoint begun = clock_.now();
    ++watches_;
    const Response response = client_.stream(
        watch_request(stream),
        [&](std::string_view line) {
          if (!stream.cancel.is_cancelled()) take_line(line, stream);
        },
        stream.cancel);
    if (cancel_.is_cancelled()) return;
    watch_ended(stream, response, clock_.now() - begun);
  }

  void watch_ended(const WatchStream& stream, const Response& response, Duration lasted) {
    const bool is_answer = response.status == 200;
    if (stream.has_progressed) {
      failed_watches_ = 0;
      if (lasted >= options_.retry_most) backoff_.reset();
    }
    if (stream.is_initial && !is_answer) {
      if (is_refusal(response.status)) {
        streams_lists_ = false;
        return;
      }
      return list_failed(response);
    }
    if (stream.is_initial) ++broken_lists_;
    // A server whose etcd cannot report its progress refuses in an event.
    if (stream.is_initial && stream.error && !stream.has_progressed) {
      streams_lists_ = false;
      return;
    }
    if (stream.must_list || response.status == 410) {
      forget_version();
      // Our version is too old: list again at once, unless that was just done.
      if (clock_.now() - listed_at_ > kShortWatch) {
        ++failures_;
        return;
      }
    }
    // API-31: nothing has changed since the list, or the connection is dead. The next watch finds
    // out, since the server ends it in time.
    if (response.is_silent && lasted < stream.length && !stream.error && !stream.is_initial) return;
    if (stream.error || !is_answer || !response.error.empty() || stream.is_initial) {
      // A missing answer says nothing about our version.
      if (!stream.has_progressed && response.status != 0 &&
          ++failed_watches_ >= kFailedWatchesMax) {
        forget_version();
      }
      Error error = stream.error ? *stream.error : failure(response);
      if (is_answer && response.error.empty() && !stream.error) {
        error.message = client_.server() + ": the list ended before its last bookmark";
      }
      return fail({error.message, kind_.path}, response.retry_after);
    }
    if (lasted < kShortWatch) wait(backoff_.next());
  }

  void take_line(std::string_view line, WatchStream& stream) {
    const auto give_up = [&](Error error, bool must_list) {
      stream.error = std::move(error);
      stream.must_list = must_list;
      stream.cancel.cancel();
    };
    if (const Status read = reader_->read_event(line, event_); !read) {
      return give_up(unreadable(read.error(), line), false);
    }
    if (event_.type == "ERROR") {
      const document::Value* code = event_.object.find("code");
      const document::Value* message = event_.object.find("message");
      return give_up({message == nullptr ? "an ERROR event" : message->text, kind_.path},
                     code != nullptr && code->text == "410");
    }
    std::string version = metadata_text(event_.object, "resourceVersion");
    if (!stream.is_initial && is_older(version)) {
      return give_up({"the version went back from " + version_ + " to " + version +
                          ", as after a restored backup",
                      kind_.path},
                     true);
    }
    const bool is_there = event_.type == "ADDED" || event_.type == "MODIFIED";
    const bool is_gone = event_.type == "DELETED";
    if (!is_there && !is_gone && event_.type != "BOOKMARK") {
      return give_up({"an event of type \"" + event_.type + "\"", kind_.path}, false);
    }
    if (kind_.tap != nullptr && !stream.is_initial) kind_.tap->event(version, line);
    if (is_there) known_.change(event_.object);
    if (is_gone) known_.remove(event_.object);
    if (!is_there && !is_gone && stream.is_initial && ends_initial_events(event_.object)) {
      stream.is_initial = false;
      list_ended(version);
    }
    stream.has_progressed = true;
    if (!stream.is_initial && !version.empty()) version_ = std::move(version);
  }

  bool is_older(const std::string& version) const {
    const auto now = ports::version_number(version);
    const auto before = ports::version_number(version_);
    return now && before && *now < *before;
  }

  RestClient& client_;
  const ReflectedKind kind_;
  const ReflectorOptions options_;
  const SteadyClock clock_;
  KnownObjects known_;
  const std::unique_ptr<ObjectReader> reader_;
  WatchEvent event_;
  Backoff backoff_;
  bool streams_lists_;
  std::string version_;  // the last one seen; empty: none that can be trusted
  std::string version_of_list_;
  TimePoint listed_at_;
  int expired_pages_ = 0;
  int broken_lists_ = 0;
  int failed_watches_ = 0;
  int absent_ = 0;
  std::atomic<std::uint64_t> lists_ = 0;
  std::atomic<std::uint64_t> watches_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<bool> is_synced_ = false;
  std::atomic<bool> is_listing_ = true;
  Cancellation cancel_;
  std::thread thread_;
};

Reflector::Reflector(RestClient& client, ReflectedKind kind, ReflectorOptions options)
    : impl_(std::make_unique<Impl>(client, std::move(kind), std::move(options))) {}

Reflector::~Reflector() = default;

void Reflector::start() { impl_->start(); }
void Reflector::stop() { impl_->stop(); }

bool Reflector::is_synced() const { return impl_->is_synced(); }
bool Reflector::is_behind() const { return impl_->is_behind(); }

ReflectorCounters Reflector::counters() const { return impl_->counters(); }

const std::string& Reflector::name() const { return impl_->name(); }

}  // namespace berth::kubeapi
