#include "traces/openb.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "traces/lines.h"
#include "traces/numbers.h"
#include "traces/table.h"

namespace berth::traces {

namespace {

constexpr std::int64_t kMilli = 1'000;
constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kCpuMost = 1'000'000'000;
constexpr std::int64_t kMebibytesMost = 1'000'000'000;  // MiB
constexpr std::int64_t kGpusMost = 1'000;

using Amounts = std::map<std::string, std::int64_t>;
using Fields = std::vector<Field>;

// A name of Kubernetes, or of a model.
Result<std::string> name_of(const Field& field) {
  constexpr std::size_t kMost = 253;
  const bool is_name =
      !field.text.empty() && field.text.size() <= kMost && printable(field.text) == field.text;
  if (!is_name) return unexpected(field, "a name of 1 to " + std::to_string(kMost) + " bytes");
  return std::string(field.text);
}

Status read_amount(const Field& field, std::int64_t most, std::int64_t unit, const char* resource,
                   Amounts& amounts) {
  const auto amount = integer_of(field, 0, most);
  if (!amount) return amount.error();
  if (*amount > 0) amounts[resource] = *amount * unit;
  return Done{};
}

Status read_cpu_and_memory(const Fields& fields, Amounts& amounts) {
  const Status cpu = read_amount(Table::find(fields, "cpu_milli"), kCpuMost, 1, kCpu, amounts);
  if (!cpu) return cpu;
  return read_amount(Table::find(fields, "memory_mib"), kMebibytesMost, kMebibyte, kMemory,
                     amounts);
}

void set_whole_gpus(std::int64_t count, Amounts& amounts) {
  if (count == 0) return;
  amounts[kGpu] = count;
  amounts[kGpuMilli] = count * kMilli;
}

// TRACE-13
Status read_gpus_of_pod(const Fields& fields, Amounts& amounts) {
  const auto count = integer_of(Table::find(fields, "num_gpu"), 0, kGpusMost);
  if (!count) return count.error();
  const bool may_share = *count == 1;
  const std::int64_t whole = *count == 0 ? 0 : kMilli;
  const auto milli = integer_of(Table::find(fields, "gpu_milli"), may_share ? 1 : whole, whole);
  if (!milli) return milli.error();
  if (may_share && *milli < kMilli) {
    amounts[kGpuMilli] = *milli;
  } else {
    set_whole_gpus(*count, amounts);
  }
  return Done{};
}

// TRACE-15: "V100M16|V100M32"; a model that comes twice counts once.
Result<std::vector<std::string>> models_of(const Field& field) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> models;
  for (std::string& model : split_list(field.text, '|')) {
    const auto name = name_of({field.number, field.name, model});
    if (!name) return name.error();
    if (std::find(models.begin(), models.end(), model) != models.end()) continue;
    if (models.size() == kMost) return unexpected(field, "at most 100 models");
    models.push_back(std::move(model));
  }
  return models;
}

// TRACE-14
Status read_times(const Fields& fields, TraceJob& job) {
  const auto created = seconds_of(Table::find(fields, "creation_time"));
  if (!created) return created.error();
  const Field end = Table::find(fields, "deletion_time");
  const auto deleted = seconds_of(end);
  if (!deleted) return deleted.error();
  job.submit = *created;
  Duration start = *created;
  const Field scheduled = Table::find(fields, "scheduled_time");
  if (!scheduled.text.empty()) {
    const auto time = seconds_of(scheduled);
    if (!time) return time.error();
    start = std::max(start, *time);
  }
  if (*deleted < start) return unexpected(end, "no time before the pod's creation or start");
  job.run = *deleted - start;
  return Done{};
}

Result<std::optional<TraceJob>> pod_of(const Fields& fields) {
  TraceJob job;
  auto name = name_of(Table::find(fields, "name"));
  if (!name) return name.error();
  job.id = *std::move(name);
  if (const Status read = read_cpu_and_memory(fields, job.request); !read) return read.error();
  if (const Status read = read_gpus_of_pod(fields, job.request); !read) return read.error();
  auto models = models_of(Table::find(fields, "gpu_spec"));
  if (!models) return models.error();
  job.models = *std::move(models);
  if (const Status read = read_times(fields, job); !read) return read.error();
  const Field quality = Table::find(fields, "qos");
  if (quality.text.empty()) return std::optional(std::move(job));
  auto queue = name_of(quality);
  if (!queue) return queue.error();
  job.queue = *std::move(queue);
  return std::optional(std::move(job));
}

Result<std::optional<OpenbNode>> node_of(const Fields& fields, std::set<std::string>& names) {
  OpenbNode node;
  auto name = name_of(Table::find(fields, "sn"));
  if (!name) return name.error();
  node.name = *std::move(name);
  if (const Status read = read_cpu_and_memory(fields, node.amounts); !read) return read.error();
  const auto gpus = integer_of(Table::find(fields, "gpu"), 0, kGpusMost);
  if (!gpus) return gpus.error();
  set_whole_gpus(*gpus, node.amounts);
  if (*gpus > 0) {
    auto model = name_of(Table::find(fields, "model"));
    if (!model) return model.error();
    node.model = *std::move(model);
  }
  if (!names.insert(node.name).second) {
    return unexpected(Table::find(fields, "sn"), "each node once");
  }
  return std::optional(std::move(node));
}

}  // namespace

Result<Trace> read_openb_pods_file(const std::string& path, const ReadOptions& options) {
  const auto bytes = open_file(path);
  if (!bytes) return bytes.error();
  return read_openb_pods(**bytes, path, options);
}

Result<Trace> read_openb_pods(ByteSource& bytes, std::string_view file,
                              const ReadOptions& options) {
  Unzipped unzipped(bytes);
  LineReader lines(unzipped, file);
  const auto table = Table::read(lines, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli",
                                         "creation_time", "deletion_time"});
  if (!table) return table.error();
  Trace trace;
  auto jobs = read_items<TraceJob>(lines, options, trace.skipped,
                                   [&](std::string_view line) -> Result<std::optional<TraceJob>> {
                                     const auto fields = table->fields_of(line);
                                     if (!fields) return fields.error();
                                     return pod_of(*fields);
                                   });
  if (!jobs) return jobs.error();
  trace.jobs = *std::move(jobs);
  sort_by_submission(trace.jobs);
  return trace;
}

Result<std::vector<OpenbNode>> read_openb_nodes_file(const std::string& path) {
  const auto bytes = open_file(path);
  if (!bytes) return bytes.error();
  return read_openb_nodes(**bytes, path);
}

Result<std::vector<OpenbNode>> read_openb_nodes(ByteSource& bytes, std::string_view file) {
  Unzipped unzipped(bytes);
  LineReader lines(unzipped, file);
  const auto table = Table::read(lines, {"sn", "cpu_milli", "memory_mib", "gpu", "model"});
  if (!table) return table.error();
  std::set<std::string> names;
  Skipped skipped;
  return read_items<OpenbNode>(lines, ReadOptions{}, skipped,
                               [&](std::string_view line) -> Result<std::optional<OpenbNode>> {
                                 const auto fields = table->fields_of(line);
                                 if (!fields) return fields.error();
                                 return node_of(*fields, names);
                               });
}

}  // namespace berth::traces
