#include <memory>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "document/cursor.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/live/find_job.h"
#include "tools/live/kube_flags.h"
#include "tools/live/live_document.h"
#include "tools/live/live_jobs.h"
#include "tools/live/live_limits.h"
#include "tools/live/live_text.h"
#include "tools/option.h"

namespace berth::tools {

namespace {

constexpr const char* kWhyHelp =
    "Says why a job waits, its position in its queue, and what would help.";

constexpr const char* kWhyMore =
    "JOB is the name of a PodGroup, of its owner (Job, PyTorchJob, RayCluster, ...), or of a pod;\n"
    "KIND/NAME says which, such as job/training. Asks the API server, by a kubeconfig; the rights "
    "of\n"
    "the ClusterRole view in the namespace are enough.\n"
    "\n"
    "Examples:\n"
    "  kubectl berth why training\n"
    "  kubectl berth why -n ml job/training\n"
    "  kubectl berth why pod/training-3 -o json\n"
    "\n"
    "Exit status: 0 there is an answer, 2 bad input or no answer, 3 a right is missing, 4 there "
    "is\n"
    "no such job, 1 an internal error.";

constexpr std::size_t kJobsInFull = 3;

struct WhyFlags {
  KubeFlags kube;
  std::string job;
  std::vector<std::string> schedulers;
  std::optional<std::string> output;
};

// Pods of one owner that each are a job of their own.
std::string one_by_one(const FoundJobs& found) {
  if (found.jobs.size() < 2) return "";
  std::size_t running = 0;
  std::size_t waiting = 0;
  for (const LiveJob& job : found.jobs) {
    if (job.is_group || job.state == JobState::foreign) return "";
    running += job.state == JobState::runs ? 1 : 0;
    waiting += job.state == JobState::waits ? 1 : 0;
  }
  return found.through + " is planned pod by pod: " + count_text(running, "pod") + " run, " +
         std::to_string(waiting) +
         " wait. For all at once or none, set the annotation berth.dev/gang: all on it, or on its "
         "pod template";
}

// A batch Job may have no pods yet.
std::string without_pods(ApiReader& reader, const JobName& wanted, const std::string& name_space) {
  if (!wanted.kind.empty() && wanted.kind != "job") return "";
  const Objects objects = reader.get({"batch", "v1", "jobs"}, name_space, wanted.name);
  if (!objects.ok()) return "";
  document::Reading reading(objects.items.front(), "the API server", document::Strictness::lenient);
  const bool is_suspended = reading.root()["spec"]["suspend"].boolean(false);
  return "Job " + wanted.name + " has no pods: " +
         (is_suspended ? "it is suspended (spec.suspend)"
                       : "its events say why (kubectl describe job " + wanted.name + ")");
}

std::string absent_text(const LiveJobs& all, const JobName& wanted, const std::string& name_space) {
  std::vector<std::string> names;
  for (const auto* const from : {&all.jobs, &all.foreign}) {
    for (const LiveJob& job : *from) {
      names.push_back(job.name);
      if (!job.owner.name.empty()) names.push_back(job.owner.name);
    }
  }
  const auto near = did_you_mean(wanted.name, names);
  return "no PodGroup, owner or pod \"" + (wanted.kind.empty() ? "" : wanted.kind + "/") +
         wanted.name + "\" in namespace " + name_space +
         (near ? "; did you mean \"" + *near + "\"?" : "");
}

Result<int> show(const FoundJobs& found, const std::string& name_space, const WhyFlags& flags,
                 Form form, Console& console) {
  if (form == Form::json) {
    return finish(write_why(name_space, flags.job, found.jobs, found.notes), console);
  }
  const TimePoint now = SystemClock().now();
  const views::TextStyle style = style_of(form, console);
  std::string text;
  if (found.jobs.size() > kJobsInFull) {
    text = jobs_table(found.jobs, false, now, style);
  } else {
    for (const LiveJob& job : found.jobs) {
      text += (text.empty() ? "" : "\n") + why_text(job, now, style);
    }
  }
  for (const std::string& note : found.notes) text += "\n" + printable(note) + "\n";
  return finish(text, console);
}

Result<int> run(const WhyFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  const JobName wanted = read_job_name(flags.job);
  if (wanted.name.empty()) {
    return Error{"\"" + flags.job + "\" has no name, expected NAME or KIND/NAME", "why"};
  }
  const auto reader = ApiReader::open(flags.kube);
  if (!reader) return reader.error();
  const std::string name_space = (*reader)->name_space();
  const LiveJobs all = read_jobs(**reader, name_space, flags.schedulers);
  if (all.refusal != Refusal::none) {
    say(all.message, console.err);
    return all.refusal == Refusal::forbidden ? kExitForbidden : kExitBadInput;
  }
  FoundJobs found = find_jobs(all, wanted);
  if (found.jobs.empty()) found = find_through_owners(**reader, all, wanted, name_space);
  if (found.jobs.empty()) {
    const std::string note = without_pods(**reader, wanted, name_space);
    if (note.empty()) {
      say(absent_text(all, wanted, name_space), console.err);
      for (const std::string& each : found.notes) say("note: " + each, console.err);
      return kExitNotFound;
    }
    found.notes.push_back(note);
  }
  if (const std::string note = one_by_one(found); !note.empty()) found.notes.push_back(note);
  if (found.jobs.size() <= kJobsInFull) add_job_deadlines(**reader, name_space, found.jobs);
  const std::string unread = add_events(**reader, name_space, found.jobs);
  if (!unread.empty()) found.notes.push_back(unread);
  return show(found, name_space, flags, *form, console);
}

}  // namespace

Command add_why(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("why", kWhyHelp);
  const auto flags = std::make_shared<WhyFlags>();
  command->footer(kWhyMore);
  add_option(*command, "JOB", flags->job, "JOB", "NAME or KIND/NAME")->required();
  declare_kube(*command, flags->kube);
  declare_schedulers(*command, flags->schedulers);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
