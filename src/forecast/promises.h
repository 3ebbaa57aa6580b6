#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::forecast {

// PROMISE-2, PROMISE-3. The starts that targets were promised. Session thread only.
class Promises {
 public:
  struct Broken {
    JobId job;
    TimePoint was;
    std::optional<TimePoint> is;  // none: nobody knows any more
    std::string by;               // "pod ns/p has run beyond its time limit since ..."
  };

  // The latest start of a target; max: it is not known.
  struct Latest {
    JobId job;
    std::string uid;
    TimePoint start;
  };
  std::vector<Broken> take(const std::vector<Latest>& latest, const Cluster& cluster, TimePoint now,
                           LimitTrust trust);
  // It has started. None: as promised, or nobody had promised it.
  std::optional<Broken> started(const Job& job, TimePoint at);
  // By an earlier leader, as its status says.
  void restore(const Job& job, TimePoint start, const Cluster& cluster);

  std::optional<TimePoint> of(const std::string& uid) const;
  std::int64_t made() const { return made_; }
  std::int64_t broken() const { return broken_; }

 private:
  struct Promise {
    JobId job;
    TimePoint start;
    std::vector<std::string> nodes;  // that are kept for it
    int plans_without = 0;           // in a row
  };

  void take(const Latest& latest, const Job& job, const Cluster& cluster, TimePoint now,
            LimitTrust trust, std::vector<Broken>& broken);

  std::map<std::string, Promise> promises_;  // by uid
  std::int64_t made_ = 0, broken_ = 0;
};

}  // namespace berth::forecast
