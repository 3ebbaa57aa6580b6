#include <algorithm>
#include <memory>

#include "berth/base/text.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/live/kube_flags.h"
#include "tools/live/live_document.h"
#include "tools/live/live_jobs.h"
#include "tools/live/live_text.h"
#include "tools/option.h"

namespace berth::tools {

namespace {

constexpr const char* kJobsHelp =
    "Shows the jobs of a namespace: which wait, for what, and where in line.";

constexpr const char* kJobsMore =
    "A job is a PodGroup, or a pod in none that Berth plans. Asks the API server, by a "
    "kubeconfig;\n"
    "the rights of the ClusterRole view in the namespace are enough.\n"
    "\n"
    "Examples:\n"
    "  kubectl berth jobs\n"
    "  kubectl berth jobs -n ml --waiting --sort position\n"
    "  kubectl berth jobs -A -q research -o json\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 3 a right is missing, 1 an internal error.";

constexpr const char* kJobsOrders = "name|queue|state|position|age|since";

struct JobsFlags {
  KubeFlags kube;
  RowFlags rows;
  bool all_namespaces = false;
  bool only_waiting = false;
  bool only_running = false;
  std::string selector;
  std::vector<std::string> schedulers;
  std::optional<std::string> output;
};

std::string key_of(const LiveJob& job, const std::string& order) {
  return order == "queue" ? job.queue : to_string(job.state);
}

bool is_before(const LiveJob& left, const LiveJob& right, const std::string& order) {
  constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
  if (order == "age" && left.created != right.created) return left.created < right.created;
  if (order == "since") {
    const TimePoint never = TimePoint::max();
    const TimePoint first = left.since.value_or(never);
    const TimePoint second = right.since.value_or(never);
    if (first != second) return first < second;
  }
  if (order == "position") {
    if (left.queue != right.queue) return natural_compare(left.queue, right.queue) < 0;
    const std::int64_t first = left.line.position.value_or(kNowhere);
    const std::int64_t second = right.line.position.value_or(kNowhere);
    if (first != second) return first < second;
  }
  if (order == "queue" || order == "state") {
    const int compared = natural_compare(key_of(left, order), key_of(right, order));
    if (compared != 0) return compared < 0;
  }
  return natural_compare(left.full_name(), right.full_name()) < 0;
}

void arrange(std::vector<LiveJob>& jobs, const JobsFlags& flags) {
  std::erase_if(jobs, [&](const LiveJob& job) {
    if (!flags.rows.queue.empty() && job.queue != flags.rows.queue) return true;
    if (!flags.only_waiting && !flags.only_running) return false;
    return !(flags.only_waiting && job.state == JobState::waits) &&
           !(flags.only_running && job.state == JobState::runs);
  });
  std::stable_sort(jobs.begin(), jobs.end(), [&](const LiveJob& left, const LiveJob& right) {
    return is_before(left, right, flags.rows.sort);
  });
}

std::vector<std::string> notes_on(const LiveJobs& found, const std::string& name_space) {
  if (found.foreign.empty()) return {};
  return {count_text(found.foreign.size(), "pod") +
          (name_space.empty() ? "" : " in namespace " + name_space) +
          " of other schedulers are not shown"};
}

Result<int> run(const JobsFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  if (const Status known = check_sort(flags.rows.sort, kJobsOrders); !known) return known.error();
  if (flags.all_namespaces && !flags.kube.name_space.empty()) {
    return Error{"given together with --namespace, expected one of them", "--all-namespaces"};
  }
  const auto reader = ApiReader::open(flags.kube);
  if (!reader) return reader.error();
  const std::string name_space = flags.all_namespaces ? "" : (*reader)->name_space();
  LiveJobs found = read_jobs(**reader, name_space, flags.schedulers, flags.selector);
  if (found.refusal != Refusal::none) {
    say(found.message, console.err);
    return found.refusal == Refusal::forbidden ? kExitForbidden : kExitBadInput;
  }
  arrange(found.jobs, flags);
  const std::vector<std::string> notes = notes_on(found, name_space);
  if (*form == Form::json) return finish(write_jobs(name_space, found.jobs, notes), console);
  for (const std::string& note : notes) say("note: " + note, console.err);
  if (found.jobs.empty()) {
    console.err << "no jobs" << (name_space.empty() ? "" : " in namespace " + name_space) << "\n";
    return kExitDone;
  }
  const TimePoint now = SystemClock().now();
  return finish(jobs_table(found.jobs, flags.all_namespaces, now, style_of(*form, console)),
                console);
}

}  // namespace

Command add_jobs(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("jobs", kJobsHelp);
  const auto flags = std::make_shared<JobsFlags>();
  command->footer(kJobsMore);
  declare_kube(*command, flags->kube);
  command->add_flag("-A,--all-namespaces", flags->all_namespaces, "The jobs of all namespaces");
  declare_queue(*command, flags->rows.queue);
  command->add_flag("--waiting", flags->only_waiting, "Only jobs that wait");
  command->add_flag("--running", flags->only_running, "Only jobs that run");
  add_option(*command, "-l,--selector", flags->selector, "SELECTOR",
             "Only jobs whose PodGroup, or one of whose pods, has these labels");
  declare_sort(*command, flags->rows.sort, kJobsOrders);
  declare_schedulers(*command, flags->schedulers);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
