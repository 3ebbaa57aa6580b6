#include "page/stream.h"

#include <algorithm>
#include <utility>

#include "berth/base/number.h"
#include "berth/base/thread_name.h"
#include "page/texts.h"
#include "views/queue_document.h"

namespace berth::page {

namespace {

constexpr Duration kFreshFor = 2 * Stream::kPeriod;
constexpr std::size_t kQueuesAtOnce = 100;  // rows that are written anew each second
constexpr std::size_t kNodesAtOnce = 500;   // of reservations, likewise

std::optional<std::string_view> parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return pair.substr(name.size() + 1);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

http::Response busy(const char* why) {
  http::Response response = http::text_response(503, why);
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

std::string key_of(const Span& span) {
  return std::to_string(
             std::chrono::floor<std::chrono::seconds>(span.begin.time_since_epoch()).count()) +
         "/" +
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(span.length).count());
}

template <class Records>
void put_numbered(Store& store, Section section, const Records& records, const auto& text_of_one) {
  for (const auto& [number, record] : records) {
    store.put(section, std::to_string(number), text_of_one(number, record));
  }
}

}  // namespace

Stream::Stream(Parts parts) : parts_(std::move(parts)), store_(parts_.instance) {}

void Stream::start() {
  thread_ = std::thread([this] { run(); });
}

void Stream::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  news_.notify_one();
  if (thread_.joinable()) thread_.join();
  for (auto* const requests : {&arrived_, &waiting_}) {
    for (Request& request : *requests) request.responder.answer(busy("berthd is ending"));
    requests->clear();
  }
}

void Stream::run() {
  name_thread("page-state");
  if (parts_.on_start) parts_.on_start();
  while (true) {
    const TimePoint due = turn();
    std::unique_lock lock(mutex_);
    const Duration pause = std::max(Duration(), due - parts_.real_clock.now());
    news_.wait_for(lock, std::min<Duration>(pause, std::chrono::hours(1)),
                   [this] { return is_ended_ || !arrived_.empty() || batch_ || has_sight_; });
    if (is_ended_) return;
  }
}

void Stream::request(const std::string& query, http::Responder responder,
                     std::shared_ptr<ports::Viewer> viewer) {
  std::optional<std::uint64_t> after;
  if (const auto text = parameter(query, "after")) {
    after = parse_number<std::uint64_t>(*text);
    if (!after) {
      return responder.answer(http::text_response(
          400, "\"after\" is no number, expected the version of an earlier answer"));
    }
  }
  const std::string instance(parameter(query, "instance").value_or(""));
  if (!instance.starts_with(parts_.instance)) after.reset();  // PAGE-2
  auto has_left = std::make_shared<std::atomic<bool>>(false);
  responder.on_disconnect([has_left] { *has_left = true; });
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_ && waiting_count_ < kWaitingMost) {
      ++waiting_count_;
      arrived_.push_back({instance, after, parts_.real_clock.now(), std::move(has_left),
                          std::move(responder), std::move(viewer), nullptr});
      news_.notify_one();
      return;
    }
  }
  responder.answer(busy("too many ask for the state of the page at once, ask again"));  // PAGE-3
}

// PAGE-1, PAGE-4
TimePoint Stream::turn() {
  const TimePoint now = parts_.real_clock.now();
  std::optional<Batch> batch;
  {
    const std::lock_guard lock(mutex_);
    if (!arrived_.empty()) looked_at_ = now;
    std::move(arrived_.begin(), arrived_.end(), std::back_inserter(waiting_));
    arrived_.clear();
    batch = std::exchange(batch_, std::nullopt);
    has_sight_ = false;
  }
  const bool is_back = batch && merged_at_ && now - *merged_at_ >= kStaleAfter;
  if (batch) {
    merge(*batch, now);
    merged_at_ = now;
    is_asking_ = false;
  }
  answer_requests(now, is_back);
  const bool is_looked_at = looked_at_ && now - *looked_at_ < kLooksFor;
  if (is_looked_at && !is_asking_ && (!asked_at_ || now - *asked_at_ >= kPeriod)) {
    is_asking_ = true;
    asked_at_ = now;
    parts_.ask([this](Batch taken) {
      const std::lock_guard lock(mutex_);
      batch_ = std::move(taken);
      news_.notify_one();
    });
  }
  TimePoint due = TimePoint::max();
  if (is_looked_at && !is_asking_) due = *asked_at_ + kPeriod;
  if (is_asking_ && !is_stale(now)) due = *asked_at_ + kStaleAfter;
  for (const Request& each : waiting_) {
    if (each.sight == nullptr) due = std::min(due, each.arrived + patience());
  }
  return due;
}

void Stream::answer_requests(TimePoint now, bool all) {
  const std::size_t before = waiting_.size();
  std::erase_if(waiting_, [&](Request& request) {
    if (*request.has_left) return true;
    if (request.sight == nullptr && !all && !is_due(request, now)) return false;
    if (request.viewer != nullptr && !has_sight(request)) return false;
    answer(request);
    return true;
  });
  const std::lock_guard lock(mutex_);
  waiting_count_ -= before - waiting_.size();
}

bool Stream::is_due(const Request& request, TimePoint now) const {
  // Nobody may have looked for long, and the state is of then.
  const bool is_fresh = merged_at_ && request.arrived - *merged_at_ < kFreshFor;
  const bool has_news = !request.after || *request.after != store_.version();
  if (now - request.arrived >= patience()) return true;  // PAGE-3
  if (!is_stale(now)) return is_fresh && has_news;
  return has_news || request.arrived - *asked_at_ < kStaleAfter;  // once, or it would ask on and on
}

// PAGE-20. The session thread has not answered for long.
bool Stream::is_stale(TimePoint now) const { return is_asking_ && now - *asked_at_ >= kStaleAfter; }

// PAGE-14. Asks once.
bool Stream::has_sight(Request& request) {
  if (request.sight == nullptr) {
    request.sight = std::make_shared<Sight>();
    request.viewer->see(store_.namespaces(), [this, sight = request.sight](const auto& seen) {
      const std::lock_guard lock(mutex_);
      sight->seen = seen;
      has_sight_ = true;
      news_.notify_one();
    });
  }
  const std::lock_guard lock(mutex_);
  return request.sight->seen != nullptr;
}

void Stream::answer(Request& request) {
  std::shared_ptr<const ports::SeenNamespaces> seen;
  if (request.viewer != nullptr) {
    const std::lock_guard lock(mutex_);
    seen = request.sight->seen;
  }
  const bool is_same = request.instance == store_.instance(seen.get());
  http::Response response{
      200, "application/json",
      store_.document(is_same ? request.after : std::nullopt, cluster_now_, seen.get())};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.closes = !leads_;  // the next connection may lead to the leader
  const TimePoint of = merged_at_.value_or(asked_at_.value_or(request.arrived));
  const auto age = std::chrono::floor<std::chrono::seconds>(parts_.real_clock.now() - of);
  response.headers.emplace_back("Age", std::to_string(age.count()));  // PAGE-20
  request.responder.answer(std::move(response));
}

void Stream::merge(const Batch& batch, TimePoint now) {
  cluster_now_ = batch.now;
  leads_ = batch.leads;
  resources_ = batch.resources;
  merge_history();
  store_.put(Section::cluster, "", cluster_text(batch, actions_, parts_.version));
  if (!batch.leads) {  // PAGE-13
    for (const Section section : {Section::domains, Section::nodes, Section::jobs, Section::order,
                                  Section::queues, Section::reservations}) {
      store_.clear(section);
    }
    queues_ = nullptr;
    reservations_ = nullptr;
  } else {
    merge_cluster(batch);
    merge_queues(now);
    merge_reservations(now);
  }
  store_.commit();
}

void Stream::merge_cluster(const Batch& batch) {
  store_.mark();
  for (const NodePart& node : batch.nodes) store_.put(Section::nodes, node.name, text_of(node));
  for (const std::int64_t gone : batch.jobs_gone) store_.erase(Section::jobs, std::to_string(gone));
  for (const JobPart& job : batch.jobs) {
    store_.put(Section::jobs, std::to_string(job.id), text_of(job));
  }
  if (batch.domains) {
    for (const DomainPart& domain : *batch.domains) {
      store_.put(Section::domains, std::to_string(domain.id), text_of(domain));
    }
    store_.erase_unmarked(Section::domains);
  }
  store_.put(Section::order, "", order_text(batch.order));
  if (!batch.is_whole) return;
  store_.erase_unmarked(Section::nodes);
  store_.erase_unmarked(Section::jobs);
}

void Stream::merge_queues(TimePoint now) {
  const auto table = parts_.queues();
  if (table == queues_) return;
  if (queues_ != nullptr && table != nullptr) {
    const Duration pause = kPeriod * static_cast<std::int64_t>(table->rows.size() / kQueuesAtOnce);
    if (now - queues_at_ < pause) return;
  }
  queues_ = table;
  queues_at_ = now;
  store_.mark();
  for (std::size_t row = 0; table != nullptr && row < table->rows.size(); ++row) {
    store_.put(Section::queues, table->rows[row].name, views::queue_text(*table, row));
  }
  store_.erase_unmarked(Section::queues);
}

void Stream::merge_reservations(TimePoint now) {
  const auto table = parts_.reservations();
  if (table == reservations_) return;
  if (reservations_ != nullptr && table != nullptr &&
      table->rows.size() == reservations_->rows.size()) {
    const std::size_t nodes = table->locked_node_count();
    const Duration pause = kPeriod * static_cast<std::int64_t>(nodes / kNodesAtOnce);
    if (now - reservations_at_ < pause) return;
  }
  reservations_ = table;
  reservations_at_ = now;
  store_.mark();
  if (table != nullptr) {
    for (const views::ReservationTable::Row& row : table->rows) {
      store_.put(Section::reservations, row.uid, text_of(row));
    }
  }
  store_.erase_unmarked(Section::reservations);
}

void Stream::merge_history() {
  const History::News news = parts_.history.since(history_version_);
  history_version_ = news.version;
  if (learn_actions(news)) {
    history_version_ = 0;
    return merge_history();  // by the longer list
  }
  put_numbered(store_, Section::sessions, news.sessions,
               [&](std::uint64_t n, const auto& each) { return text_of(n, each, actions_); });
  put_numbered(store_, Section::evictions, news.evictions,
               [](std::uint64_t n, const auto& each) { return text_of(n, each); });
  for (; first_session_ < news.first_session; ++first_session_) {
    store_.erase(Section::sessions, std::to_string(first_session_));
  }
  for (; first_eviction_ < news.first_eviction; ++first_eviction_) {
    store_.erase(Section::evictions, std::to_string(first_eviction_));
  }
  for (const Span& span : news.spans) {
    spans_.insert_or_assign({span.length, span.begin}, key_of(span));
    store_.put(Section::spans, key_of(span), text_of(span, actions_, resources_));
  }
  std::erase_if(spans_, [&](const auto& each) {
    const auto& [length, begin] = each.first;
    const bool is_minute = length == std::chrono::minutes(1);
    if (begin >= (is_minute ? news.first_minute : news.first_ten)) return false;
    store_.erase(Section::spans, each.second);
    return true;
  });
}

// In the order in which they first ran. True if there are others than before.
bool Stream::learn_actions(const History::News& news) {
  const std::size_t before = actions_.size();
  const auto learn = [this](std::string_view action) {
    if (std::find(actions_.begin(), actions_.end(), action) == actions_.end()) {
      actions_.emplace_back(action);
    }
  };
  for (const auto& [number, session] : news.sessions) {
    for (const auto& [action, took] : session.actions) learn(action);
  }
  for (const Span& span : news.spans) {
    for (const auto& [action, took] : span.actions) learn(action);
  }
  return actions_.size() > before;
}

}  // namespace berth::page
