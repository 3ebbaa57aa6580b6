#include "kubeapi/namespace_reviews.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubeapi/review_requests.h"
#include "kubeapi/token_bucket.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kAllNamespaces = "";  // as SubjectAccessReviews name them

}  // namespace

// The reviews of all users: so many at once, and so many a second. Those of all namespaces are not
// counted, so that nobody's many namespaces keep an administrator waiting.
class NamespaceReviews::Line : public std::enable_shared_from_this<Line> {
 public:
  using Heard = std::function<void(std::optional<bool> may)>;  // none: it is not known

  Line(RestClient& client, const Clock& clock) : client_(client), clock_(clock) {}

  TimePoint now() const { return clock_.now(); }

  // `heard` runs once: at once if there were too many of late.
  void ask(bool is_counted, Request request, Heard heard) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_counted || bucket_.take(clock_.now())) {
        waiting_.emplace_back(std::move(request), std::exchange(heard, nullptr));
      }
    }
    if (heard != nullptr) return heard(std::nullopt);
    send_next();
  }

 private:
  void send_next() {
    std::pair<Request, Heard> next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || under_way_ == kAtOnceMost) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
      ++under_way_;
    }
    client_.send(std::move(next.first), [self = shared_from_this(),
                                         heard = std::move(next.second)](const Response& answer) {
      heard(answer.ok() ? std::optional(allowed_by(answer) == true) : std::nullopt);
      {
        const std::lock_guard lock(self->mutex_);
        --self->under_way_;
      }
      self->send_next();
    });
  }

  RestClient& client_;
  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  TokenBucket bucket_{kPerSecond, kAtFirst};
  std::deque<std::pair<Request, Heard>> waiting_;
  std::size_t under_way_ = 0;
};

// API-40. Goes by rounds: all who ask while one is under way are answered by the next. A round asks
// for all namespaces first, which is one review for most administrators, and then for each whose
// answer is missing or old, the oldest first. An old answer counts until the new one is there.
class NamespaceReviews::User final : public ports::Viewer,
                                     public std::enable_shared_from_this<User> {
 public:
  User(std::shared_ptr<Line> line, nlohmann::json user)
      : line_(std::move(line)), user_(std::move(user)) {}

  void see(std::set<std::string> namespaces, Done done) override {
    {
      const std::lock_guard lock(mutex_);
      asked_.insert(namespaces.begin(), namespaces.end());
      waiting_.push_back(std::move(done));
      if (std::exchange(is_asking_, true)) return;
    }
    begin_round();
  }

 private:
  struct Answer {
    bool may = false;
    TimePoint at;
  };

  void begin_round() {
    std::set<std::string> names;
    {
      const std::lock_guard lock(mutex_);
      const TimePoint now = line_->now();
      std::erase_if(known_, [&](const auto& each) { return now - each.second.at >= kCounts; });
      answered_ = std::exchange(waiting_, {});
      is_asking_ = !answered_.empty();
      if (!is_asking_) return;
      names = std::exchange(asked_, {});
    }
    review({kAllNamespaces}, [self = shared_from_this(), names = std::move(names)] {
      if (self->is_known_to_see(kAllNamespaces)) return self->end_round();
      self->review(names, [self] { self->end_round(); });
    });
  }

  // So many of them, those without an answer first.
  std::vector<std::string> due(const std::set<std::string>& names) {
    const std::lock_guard lock(mutex_);
    const TimePoint now = line_->now();
    std::vector<std::pair<TimePoint, std::string>> all;
    for (const std::string& name : names) {
      const auto known = known_.find(name);
      const TimePoint at = known == known_.end() ? TimePoint::min() : known->second.at;
      if (known == known_.end() || now - at >= kAgain) all.emplace_back(at, name);
    }
    std::sort(all.begin(), all.end());
    all.resize(std::min(all.size(), kRoundMost));
    std::vector<std::string> due;
    for (auto& [at, name] : all) due.push_back(std::move(name));
    return due;
  }

  void review(const std::set<std::string>& names, std::function<void()> then) {
    const std::vector<std::string> asked = due(names);
    if (asked.empty()) return then();
    const auto left = std::make_shared<std::atomic<std::size_t>>(asked.size());
    const auto last = std::make_shared<std::function<void()>>(std::move(then));
    for (const std::string& name : asked) {
      Request request = access_review(user_, "resourceAttributes",
                                      {{"group", "scheduling.volcano.sh"},
                                       {"resource", "podgroups"},
                                       {"namespace", name},
                                       {"verb", "get"}});
      request.can_wait = true;  // for the writes of sessions
      line_->ask(name != kAllNamespaces, std::move(request),
                 [self = shared_from_this(), name, left, last](std::optional<bool> may) {
                   self->learn(name, may);
                   if (--*left == 0) (*last)();
                 });
    }
  }

  void learn(const std::string& name, std::optional<bool> may) {
    const std::lock_guard lock(mutex_);
    if (!may) return;
    if (known_.size() >= kKnownMost && !known_.contains(name)) return;
    known_.insert_or_assign(name, Answer{*may, line_->now()});
  }

  bool is_known_to_see(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(name);
    return known != known_.end() && known->second.may;
  }

  void end_round() {
    const auto seen = std::make_shared<ports::SeenNamespaces>();
    std::vector<Done> done;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [name, answer] : known_) {
        if (answer.may) seen->names.insert(name);
      }
      seen->is_all = seen->names.contains(kAllNamespaces);
      done = std::exchange(answered_, {});
    }
    for (const Done& each : done) each(seen);
    begin_round();
  }

  const std::shared_ptr<Line> line_;
  const nlohmann::json user_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Answer> known_;
  std::set<std::string> asked_;  // by those who wait
  std::vector<Done> waiting_;
  std::vector<Done> answered_;  // at the end of this round
  bool is_asking_ = false;
};

NamespaceReviews::NamespaceReviews(RestClient& client, const Clock& clock)
    : line_(std::make_shared<Line>(client, clock)) {}

std::shared_ptr<ports::Viewer> NamespaceReviews::viewer_of(const nlohmann::json& user) {
  const std::lock_guard lock(mutex_);
  const std::string text = user.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (users_.size() >= kUsersMost && !users_.contains(text)) {
    std::erase_if(users_, [](const auto& each) { return each.second.use_count() == 1; });
    if (users_.size() >= kUsersMost) users_.clear();
  }
  std::shared_ptr<User>& known = users_[text];
  if (known == nullptr) known = std::make_shared<User>(line_, user);
  return known;
}

}  // namespace berth::kubeapi
