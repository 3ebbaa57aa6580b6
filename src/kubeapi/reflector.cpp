#include "kubeapi/reflector.h"

#include <algorithm>
#include <utility>

#include "kubeapi/answer.h"
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
constexpr int kFailedPagesMax = 5;    // in a row; then the list begins again
constexpr int kStreamedListsMax = 3;  // broken ones in a row; then pages are requested
constexpr int kFailedWatchesMax = 3;  // in a row with an answer but without events
constexpr int kAbsentMax = 3;         // in a row; then all known objects are gone
constexpr std::chrono::seconds kShortWatch{1};
constexpr std::chrono::seconds kLongSilence{2};
constexpr std::chrono::seconds kOldList{5};                 // all pages are as old as the first
constexpr std::chrono::seconds kTestMost{5};                // a short watch without a byte
constexpr std::chrono::milliseconds kShortWatchMost{1500};  // the server had no time for it
constexpr int kBacklog = 1000;  // so many events in a second may be cut off by its end
constexpr int kTestsMost = 5;   // in a row: then that is how events come

// Each time longer, eight times at most: a large cluster may need it.
Duration silence_most(int times) { return kTestMost * (1 << std::min(times, 3)); }

bool ends_initial_events(const document::Value& bookmark) {
  return bookmark.text_at({"metadata", "annotations", kInitialEventsEnd}) == "true";
}

// A refusal of the request itself: the server does not know streaming lists.
bool is_refusal(int status) {
  constexpr int kOther[] = {401, 403, 404, 408, 410, 429};
  return status >= 400 && status < 500 &&
         std::find(std::begin(kOther), std::end(kOther), status) == std::end(kOther);
}

}  // namespace

Reflector::Reflector(const Clock& clock, std::string server, ReflectedKind kind,
                     ReflectorOptions options)
    : clock_(clock),
      server_(std::move(server)),
      kind_(std::move(kind)),
      options_(std::move(options)),
      known_(clock_, kind_, options_, counters_),
      reader_(kind_.format == Format::json ? json_reader(kind_.keeps)
                                           : protobuf_reader(kind_.type)),
      backoff_(options_.retry_least, options_.retry_most, options_.seed),
      streams_lists_(options_.streaming_list) {}

bool Reflector::has_proved(Duration within) const {
  return proved_at_.load() > clock_.now() - within;
}

bool Reflector::is_behind(Duration proved_within) const {
  const Trust trust = trust_;
  const bool is_open = is_listing_ || trust == Trust::none || trust == Trust::tested;
  return is_synced_ && is_open && !has_proved(proved_within);
}

// API-41
bool Reflector::doubt(Duration proved_within) {
  Trust trust = trust_;
  if (!is_synced_ || trust == Trust::idle || has_proved(proved_within)) return false;
  if (is_pausing_) return true;
  if (trust == Trust::tested) return false;
  const Duration silence = clock_.now() - heard_at_.load();
  if (is_listing_) return silence >= silence_most(cut_off_);
  if (silence < kLongSilence) return false;
  return trust_.compare_exchange_strong(trust, Trust::none);
}

Step Reflector::pause(Duration length) {
  is_pausing_ = true;
  return {.pause = length};
}

Step Reflector::step() {
  is_pausing_ = false;
  const bool brings_list = streams_lists_ && broken_lists_ < kStreamedListsMax;
  return version_.empty() && !brings_list ? list_page() : watch();
}

Step Reflector::answered(Response response) {
  return watch_ ? watch_ended(*std::exchange(watch_, std::nullopt), response)
                : took_page(std::move(response));
}

Step Reflector::fail(const Error& error, std::optional<Duration> retry_after) {
  ++counters_.failures;
  known_.complain(error);
  return pause(std::max(backoff_.next(), retry_after.value_or(Duration{})));
}

std::string Reflector::path_with(const std::string& query) const {
  return kind_.path + "?" + (kind_.query.empty() ? "" : kind_.query + "&") + query;
}

Error Reflector::unreadable(const Error& error, std::string_view text) const {
  const bool is_json = kind_.format == Format::json;
  return {std::string("expected ") + (is_json ? "JSON" : "protobuf") + " from " + server_ +
              (is_json ? ", got " + first_characters(text) : "") + ": " + error.to_string(),
          kind_.path};
}

Error Reflector::failure(const Response& response) const {
  return {response.to_string(), kind_.path};
}

// API-12: pages of one version. A page that failed is requested again, but not for ever: a server
// that was restored from a backup may not know its version. An expired token restarts the list. In
// the end, all items are requested at once.
Step Reflector::list_page() {
  heard_at_ = clock_.now();
  if (token_.empty()) begin_list();
  const bool is_paged = expired_pages_ < kExpiredPagesMax;
  Request request;
  request.format = kind_.format;
  request.path = path_with(is_paged ? "limit=" + std::to_string(options_.page_size) : "limit=0");
  if (!token_.empty()) request.path += "&continue=" + url_encoded(token_);
  return {.request = std::move(request)};
}

Step Reflector::took_page(Response response) {
  if (response.is_silent) ++cut_off_;
  if (!token_.empty() && is_retryable(response) && ++failed_pages_ < kFailedPagesMax) {
    return fail(failure(response), response.retry_after);
  }
  failed_pages_ = 0;
  const std::string token = std::exchange(token_, "");
  if (response.status == 410 && !token.empty()) {
    ++expired_pages_;
    return fail(failure(response));
  }
  if (!response.ok()) return list_failed(response);
  auto page = reader_->read_page(response.body,
                                 [this](const document::Value& item) { known_.change(item); });
  if (!page) return fail(unreadable(page.error(), response.body));
  token_ = std::move(page->continue_token);
  if (!token_.empty()) return list_page();
  expired_pages_ = 0;
  list_ended(page->resource_version);
  return watch();
}

void Reflector::begin_list() {
  list_begun_at_ = clock_.now();
  heard_at_ = list_begun_at_;
  known_.begin_list();
}

void Reflector::list_ended(const std::string& version) {
  known_.end_list();
  ++counters_.lists;
  version_ = version.empty() ? "0" : version;
  listed_at_ = clock_.now();
  absent_ = broken_lists_ = failed_watches_ = 0;
  cut_off_ = 0;
  backoff_.reset();
  if (kind_.tap != nullptr) kind_.tap->listed(version_);
  if (kind_.listed) kind_.listed();
  // In pages it is as old as the first. In a stream, what came since follows at once.
  const bool is_old = !watch_ && listed_at_ - list_begun_at_ > kOldList;
  trust_ = is_old ? Trust::none : Trust::full;
  tests_ = silent_tests_ = 0;
  heard_at_ = listed_at_;
  proved_at_ = list_begun_at_;
  is_listing_ = false;
  is_synced_ = true;
}

void Reflector::forget_version() {  // it lists again
  version_.clear();
  if (trust_ == Trust::tested) trust_ = Trust::none;
  is_listing_ = true;
}

// Nobody waits for an optional kind that is not to be had.
void Reflector::settle_for_nothing() {
  if (kind_.required) return;
  trust_ = Trust::idle;
  is_listing_ = false;
  is_synced_ = true;
}

// API-16: an API that is not served is tried again, slowly.
Step Reflector::list_failed(const Response& response) {
  const bool is_absent = response.status == 404;
  if (!is_absent) {
    absent_ = 0;
    // An optional kind without the right to read it counts as empty. Rights may also come a
    // little after the server, so the list is retried like any failure.
    if (response.status == 403) settle_for_nothing();
    return fail(failure(response), response.retry_after);
  }
  ++counters_.failures;
  if (kind_.required) known_.complain(failure(response));
  if (++absent_ >= kAbsentMax) {
    known_.begin_list();
    known_.end_list();
  }
  settle_for_nothing();
  return pause(backoff_.spread(options_.absent_retry));
}

// API-14: starts from the last version seen. Without a version, the server first sends the existing
// objects, and a bookmark at their end.
Step Reflector::watch() {
  Watch watch;
  watch.brings_list = version_.empty();
  watch.begun_at = clock_.now();
  if (watch.brings_list) begin_list();
  ++counters_.watches;
  const Duration length =
      backoff_.spread(watch.brings_list ? options_.list_length : options_.watch_length);
  watch.length = std::max(std::chrono::floor<std::chrono::seconds>(length), kShortWatch);
  Request request;
  request.idle_timeout = options_.idle_timeout;
  if (trust_ == Trust::none && !watch.brings_list) {
    trust_ = Trust::tested;
    watch.length = kShortWatch;
    request.deadline = request.idle_timeout = silence_most(silent_tests_);
  }
  request.path = path_with("watch=true&allowWatchBookmarks=true&timeoutSeconds=" +
                           std::to_string(watch.length.count()));
  request.path += watch.brings_list ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                    : "&resourceVersion=" + url_encoded(version_);
  request.format = kind_.format;
  watch_ = std::move(watch);
  return {.request = std::move(request), .is_watch = true};
}

Step Reflector::watch_ended(const Watch& watch, const Response& response) {
  const bool is_answer = response.status == 200;
  const Duration lasted = clock_.now() - watch.begun_at;
  const bool has_no_byte = response.is_silent || response.status == 0;
  const bool is_test = trust_ == Trust::tested && !watch.brings_list;
  if (is_test && has_no_byte && lasted >= kTestMost) ++silent_tests_;
  if (watch.events > 0) {
    failed_watches_ = 0;
    if (lasted >= options_.retry_most) backoff_.reset();
  }
  if (watch.brings_list && response.is_silent && !watch.error) ++cut_off_;
  if (watch.brings_list && !is_answer) {
    if (!is_refusal(response.status)) return list_failed(response);
    streams_lists_ = false;
    return step();
  }
  if (watch.brings_list) ++broken_lists_;
  // A server whose etcd cannot report its progress refuses in an event.
  if (watch.brings_list && watch.error && watch.events == 0) {
    streams_lists_ = false;
    return step();
  }
  if (watch.must_list || response.status == 410) {
    forget_version();
    // Our version is too old: list again at once, unless that was just done.
    if (clock_.now() - listed_at_ > kShortWatch) {
      ++counters_.failures;
      return step();
    }
  }
  // API-31: nothing has changed since the list, or the connection is dead. The next watch finds
  // out, since the server ends it in time.
  const bool is_early = lasted < watch.length;
  const bool is_doubted = trust_ != Trust::full;
  if (response.is_silent && (is_early || is_doubted) && !watch.error && !watch.brings_list) {
    trust_ = Trust::none;
    return step();
  }
  if (watch.error || !is_answer || !response.error.empty() || watch.brings_list) {
    // A missing answer says nothing about our version.
    if (watch.events == 0 && response.status != 0 && ++failed_watches_ >= kFailedWatchesMax) {
      forget_version();
    }
    Error error = watch.error ? *watch.error : failure(response);
    if (is_answer && response.error.empty() && !watch.error) {
      error.message = server_ + ": the list ended before its last bookmark";
    }
    trust_ = Trust::none;
    return fail({error.message, kind_.path}, response.retry_after);
  }
  heard_at_ = clock_.now();
  if (lasted < kShortWatch) {
    trust_ = Trust::none;
    return pause(backoff_.next());
  }
  if (is_doubted) {
    const Duration open = response.since_head.value_or(lasted);
    const bool may_lack_some = watch.events >= kBacklog || open >= kShortWatchMost;
    const bool is_proof = !may_lack_some || ++tests_ >= kTestsMost;
    trust_ = is_proof ? Trust::full : Trust::none;
    if (is_proof) {
      tests_ = silent_tests_ = 0;
      proved_at_ = watch.begun_at;
    }
  }
  return step();
}

bool Reflector::give_up(Error error, bool must_list) {
  watch_->error = std::move(error);
  watch_->must_list = must_list;
  return false;
}

bool Reflector::take(std::string_view frame) {
  if (const Status read = reader_->read_event(frame, event_); !read) {
    return give_up(unreadable(read.error(), frame));
  }
  if (event_.type == "ERROR") {
    const std::string message = event_.object.text_at({"message"});
    return give_up({message.empty() ? "an ERROR event" : message, kind_.path},
                   event_.object.text_at({"code"}) == "410");
  }
  std::string version = event_.object.text_at({"metadata", "resourceVersion"});
  if (!watch_->brings_list && is_older(version)) {
    return give_up({"the version went back from " + version_ + " to " + version +
                        ", as after a restored backup",
                    kind_.path},
                   true);
  }
  const bool is_there = event_.type == "ADDED" || event_.type == "MODIFIED";
  const bool is_gone = event_.type == "DELETED";
  if (!is_there && !is_gone && event_.type != "BOOKMARK") {
    return give_up({"an event of type \"" + event_.type + "\"", kind_.path});
  }
  if (kind_.tap != nullptr && !watch_->brings_list) kind_.tap->event(version, frame);
  if (is_there) known_.change(event_.object);
  if (is_gone) known_.remove(event_.object);
  if (!is_there && !is_gone && watch_->brings_list && ends_initial_events(event_.object)) {
    watch_->brings_list = false;
    list_ended(version);
  }
  ++watch_->events;
  heard_at_ = clock_.now();
  if (!watch_->brings_list && !version.empty()) version_ = std::move(version);
  return true;
}

bool Reflector::is_older(const std::string& version) const {
  const auto now = ports::version_number(version);
  const auto before = ports::version_number(version_);
  return now && before && *now < *before;
}

}  // namespace berth::kubeapi
