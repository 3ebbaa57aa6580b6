#include "page/texts.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "page/names.h"
#include "views/document_head.h"
#include "views/reservation_document.h"

namespace berth::page {

namespace {

// Writes one list, or one object, from left to right.
class Writer {
 public:
  explicit Writer(char open) { text_ += open; }

  Writer& number(std::int64_t value) {
    separate();
    append(value);
    return *this;
  }
  Writer& text(std::string_view value) {
    separate();
    append_text(text_, value);
    return *this;
  }
  Writer& name(std::string_view name_space, std::string_view value) {
    separate();
    append_name(text_, name_space, value);
    return *this;
  }
  Writer& name(std::string_view full_name) { return name(namespace_of(full_name), full_name); }
  Writer& message(std::string_view name_space, std::string_view value) {
    separate();
    append_message(text_, name_space, value);
    return *this;
  }
  Writer& numbers(const std::vector<std::int64_t>& values) {
    separate();
    text_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text_ += ',';
      append(values[i]);
    }
    text_ += ']';
    return *this;
  }
  Writer& raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
  }
  Writer& key(std::string_view name) {
    text(name);
    text_ += ':';
    is_after_key_ = true;
    return *this;
  }
  std::string end(char close) {
    text_ += close;
    return std::move(text_);
  }

 private:
  void separate() {
    const bool is_first = text_.size() == 1;
    if (!std::exchange(is_after_key_, false) && !is_first) text_ += ',';
  }
  void append(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    text_.append(digits, end.ptr);
  }

  std::string text_;
  bool is_after_key_ = false;
};

std::int64_t seconds_of(TimePoint time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::int64_t microseconds_of(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::string groups_text(const std::vector<PodGroupPart>& groups) {
  Writer list('[');
  for (const PodGroupPart& group : groups) {
    Writer one('[');
    one.number(group.job).number(static_cast<std::int64_t>(group.state)).number(group.pods);
    for (const std::int64_t amount : group.amounts) one.number(amount);
    list.raw(one.end(']'));
  }
  return list.end(']');
}

// All that most jobs do not have.
std::string more_text(const JobPart& job) {
  Writer more('{');
  const auto add_time = [&](const char* key, const std::optional<TimePoint>& time) {
    if (time) more.key(key).number(seconds_of(*time));
  };
  const std::string_view space = namespace_of(job.name);
  if (!job.reason.empty()) {
    more.key("reason").text(job.reason).key("message").message(space, job.message);
  }
  if (job.start) {
    add_time("by", job.start->starts_by);
    add_time("from", job.start->likely_from);
    add_time("to", job.start->likely_to);
  }
  add_time("ends", job.ends);
  add_time("target", job.target_since);
  if (!job.target_why.empty()) more.key("why").message(space, job.target_why);
  add_time("promised", job.promised);
  if (job.limit) {
    more.key("limit").number(std::chrono::duration_cast<std::chrono::seconds>(*job.limit).count());
  }
  if (job.gated > 0) more.key("gated").number(job.gated);
  return more.end('}');
}

std::vector<std::int64_t> times_by_action(const std::vector<std::string>& actions,
                                          const auto& times) {
  std::vector<std::int64_t> list(actions.size());
  for (const auto& [action, took] : times) {
    const auto found = std::find(actions.begin(), actions.end(), action);
    if (found == actions.end()) continue;
    list[static_cast<std::size_t>(found - actions.begin())] += microseconds_of(took);
  }
  return list;
}

// The means of the sums, by the resources of the state.
std::vector<std::int64_t> means(const UseSample::Parts& sums, const Span& span,
                                const std::vector<std::string>& resources) {
  std::vector<std::int64_t> list(resources.size());
  for (std::size_t r = 0; r < span.resources.size() && r < sums.size(); ++r) {
    const auto found = std::find(resources.begin(), resources.end(), span.resources[r]);
    if (found == resources.end()) continue;
    list[static_cast<std::size_t>(found - resources.begin())] =
        sums[r] / static_cast<std::int64_t>(std::max<std::size_t>(span.samples, 1));
  }
  return list;
}

std::int64_t number_of(std::size_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

std::string cluster_text(const Batch& batch, const std::vector<std::string>& actions,
                         const std::string& version) {
  const auto names = [](const std::vector<std::string>& texts) {
    Writer list('[');
    for (const std::string& text : texts) list.text(text);
    return list.end(']');
  };
  Writer item('{');
  item.key("leads").raw(batch.leads ? "true" : "false").key("version").text(version);
  item.key("resources").raw(names(batch.resources)).key("actions").raw(names(actions));
  item.key("levels").raw(names(batch.levels)).key("total").numbers(batch.total);
  item.key("used").numbers(batch.used);
  return item.end('}');
}

std::string text_of(const DomainPart& domain) {
  Writer item('[');
  item.number(domain.id).text(domain.name).number(number_of(domain.level)).number(domain.parent);
  return item.end(']');
}

std::string text_of(const NodePart& node) {
  Writer item('[');
  item.text(node.name).number(node.is_unschedulable ? 1 : 0).number(node.domain);
  item.numbers(node.allocatable).numbers(node.used).number(node.target).text(node.queue);
  return item.raw(groups_text(node.groups)).end(']');
}

std::string text_of(const JobPart& job) {
  Writer counts('[');
  for (const std::int32_t count : job.counts) counts.number(count);
  Writer item('[');
  item.number(job.id).name(job.name).text(job.queue).text(to_string(job.phase));
  item.number(job.priority).number(job.minimum).raw(counts.end(']'));
  item.number(seconds_of(job.created)).number(seconds_of(job.waits_since));
  item.number(job.started ? seconds_of(*job.started) : 0);
  return item.raw(more_text(job)).end(']');
}

std::string text_of(const views::ReservationTable::Row& reservation) {
  views::ReservationTable::Row plain = reservation;
  plain.job = plain.why = "";
  std::string text = views::reservation_text(plain);
  const auto put = [&text](const std::string& key, const std::string& value) {
    const std::string empty = "\"" + key + "\":\"\"";
    text.replace(text.find(empty), empty.size(), "\"" + key + "\":" + value);
  };
  std::string job, why;
  append_name(job, namespace_of(reservation.job), reservation.job);
  append_message(why, namespace_of(reservation.job), reservation.why);
  put("job", job);
  put("why", why);
  return text;
}

std::string order_text(const std::vector<std::int64_t>& order) {
  Writer list('[');
  for (const std::int64_t job : order) list.number(job);
  return list.end(']');
}

std::string text_of(std::uint64_t number, const SessionRecord& session,
                    const std::vector<std::string>& actions) {
  Writer item('[');
  item.number(static_cast<std::int64_t>(number));
  item.number(std::chrono::floor<std::chrono::milliseconds>(session.at.time_since_epoch()).count());
  item.number(microseconds_of(session.took)).number(number_of(session.events));
  item.number(number_of(session.binds)).number(number_of(session.pipelined));
  item.number(number_of(session.admitted)).number(number_of(session.evictions));
  return item.numbers(times_by_action(actions, session.actions)).end(']');
}

std::string text_of(std::uint64_t number, const EvictionRecord& eviction) {
  Writer item('[');
  item.number(static_cast<std::int64_t>(number)).number(seconds_of(eviction.at));
  const std::string_view space = namespace_of(eviction.job);
  item.name(space, eviction.pod).name(eviction.job).text(eviction.queue).text(eviction.node);
  item.name(eviction.claimant).text(eviction.action).text(eviction.as);
  item.message(space, eviction.why);
  item.number(std::chrono::duration_cast<std::chrono::seconds>(eviction.age).count());
  using Json = nlohmann::ordered_json;
  const std::string room =
      views::json_of(eviction.room).dump(-1, ' ', false, Json::error_handler_t::replace);
  return item.raw(room).end(']');
}

std::string text_of(const Span& span, const std::vector<std::string>& actions,
                    const std::vector<std::string>& resources) {
  Writer waits('[');
  for (const std::size_t count : span.waits) waits.number(number_of(count));
  Writer queues('{');
  for (const auto& [queue, sums] : span.queues) {
    queues.key(queue).numbers(means(sums, span, resources));
  }
  Writer item('[');
  item.number(seconds_of(span.begin));
  item.number(std::chrono::duration_cast<std::chrono::seconds>(span.length).count());
  item.number(number_of(span.sessions)).number(microseconds_of(span.took));
  item.number(microseconds_of(span.longest)).numbers(times_by_action(actions, span.actions));
  item.number(number_of(span.binds)).number(number_of(span.admitted));
  item.number(number_of(span.evictions)).number(number_of(span.started)).raw(waits.end(']'));
  item.number(number_of(span.waiting_jobs)).number(number_of(span.waiting_pods));
  item.numbers(span.samples == 0 ? std::vector<std::int64_t>() : means(span.used, span, resources));
  return item.raw(queues.end('}')).end(']');
}

}  // namespace berth::page
