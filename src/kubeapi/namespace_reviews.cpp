#include "kubeapi/namespace_reviews.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubeapi/json_text.h"
#include "kubeapi/review_requests.h"
#include "kubeapi/token_bucket.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kAllNamespaces = "";  // as SubjectAccessReviews name them

enum class Verdict : std::uint8_t { yes, no, unknown };

Verdict verdict_of(const Response& response) {
  if (!response.ok()) return Verdict::unknown;
  const nlohmann::json body = read_json(response.body);
  return value_at(body, "/status/allowed") == true ? Verdict::yes : Verdict::no;
}

}  // namespace

// The reviews of all users: so many at once, and so many a second.
class NamespaceReviews::Line : public std::enable_shared_from_this<Line> {
 public:
  using Heard = std::function<void(Verdict verdict)>;

  Line(RestClient& client, const Clock& clock) : client_(client), clock_(clock) {}

  TimePoint now() const { return clock_.now(); }

  // `heard` runs once: at once if there were too many of late.
  void ask(Request request, Heard heard) {
    {
      const std::lock_guard lock(mutex_);
      if (bucket_.take(clock_.now())) {
        waiting_.emplace_back(std::move(request), std::exchange(heard, nullptr));
      }
    }
    if (heard != nullptr) return heard(Verdict::unknown);
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
      heard(verdict_of(answer));
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
// for all namespaces first, which is one review for most administrators, and then for each that is
// unknown.
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
  void begin_round() {
    std::set<std::string> names;
    {
      const std::lock_guard lock(mutex_);
      if (line_->now() >= until_) {
        known_.clear();
        until_ = line_->now() + kCounts;
      }
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

  // Those of them that are unknown, and so many as one may ask for. Then goes on.
  void review(const std::set<std::string>& names, std::function<void()> then) {
    std::vector<std::string> unknown;
    {
      const std::lock_guard lock(mutex_);
      for (const std::string& name : names) {
        if (known_.size() + unknown.size() > kNamespacesMost) break;
        if (!known_.contains(name)) unknown.push_back(name);
      }
    }
    if (unknown.empty()) return then();
    const auto left = std::make_shared<std::atomic<std::size_t>>(unknown.size());
    const auto last = std::make_shared<std::function<void()>>(std::move(then));
    for (const std::string& name : unknown) {
      Request request = access_review(user_, "resourceAttributes",
                                      {{"group", "scheduling.volcano.sh"},
                                       {"resource", "podgroups"},
                                       {"namespace", name},
                                       {"verb", "get"}});
      request.can_wait = true;  // for the writes of sessions
      line_->ask(std::move(request),
                 [self = shared_from_this(), name, left, last](Verdict verdict) {
                   self->learn(name, verdict);
                   if (--*left == 0) (*last)();
                 });
    }
  }

  void learn(const std::string& name, Verdict verdict) {
    const std::lock_guard lock(mutex_);
    if (verdict != Verdict::unknown) known_.insert_or_assign(name, verdict == Verdict::yes);
  }

  bool is_known_to_see(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(name);
    return known != known_.end() && known->second;
  }

  void end_round() {
    const auto seen = std::make_shared<ports::SeenNamespaces>();
    std::vector<Done> done;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [name, may] : known_) {
        if (may) seen->names.insert(name);
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
  TimePoint until_;   // what is known counts
  std::map<std::string, bool> known_;
  std::set<std::string> asked_;  // by those who wait
  std::vector<Done> waiting_;
  std::vector<Done> answered_;  // at the end of this round
  bool is_asking_ = false;
};

NamespaceReviews::NamespaceReviews(RestClient& client, const Clock& clock)
    : line_(std::make_shared<Line>(client, clock)) {}

std::shared_ptr<ports::Viewer> NamespaceReviews::viewer_of(const nlohmann::json& user) const {
  return std::make_shared<User>(line_, user);
}

}  // namespace berth::kubeapi
