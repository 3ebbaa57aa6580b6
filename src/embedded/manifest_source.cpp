#include "embedded/manifest_source.h"

#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

#include "embedded/path_watch.h"
#include "kube/manifests.h"
#include "model/object_keys.h"

namespace berth::embedded {
namespace {

// A file whose writer pauses longer than this is read incomplete, and then again.
constexpr std::chrono::milliseconds kQuiet{100};

using Key = std::pair<std::size_t, std::string>;  // type and key
using Objects = std::map<Key, ClusterEvent>;

Objects by_key(std::vector<ClusterEvent> events) {
  Objects objects;
  for (ClusterEvent& event : events) {
    Key key{event.index(), key_of(event)};
    objects.emplace(std::move(key), std::move(event));
  }
  return objects;
}

bool is_same(const ClusterEvent& left, const ClusterEvent& right) {
  return std::visit(
      [&](const auto& object) {
        using Object = std::decay_t<decltype(object)>;
        const auto* const other = std::get_if<Object>(&right);
        if constexpr (requires { object == object; }) {
          return other != nullptr && object == *other;
        } else {
          return false;
        }
      },
      left);
}

// The events that change `then` into `now`.
std::vector<ClusterEvent> difference(const Objects& then, const Objects& now) {
  std::vector<ClusterEvent> changes;
  for (const auto& [key, event] : then) {
    if (!now.contains(key)) changes.push_back(deletion_of(event));
  }
  for (const auto& [key, event] : now) {
    const auto old = then.find(key);
    if (old == then.end() || !is_same(old->second, event)) changes.push_back(event);
  }
  return changes;
}

}  // namespace

class ManifestSource::Impl {
 public:
  Impl(std::vector<std::string> paths, Apply apply, Complaint complain, Note note)
      : paths_(paths.begin(), paths.end()),
        apply_(std::move(apply)),
        complain_(std::move(complain)),
        note_(std::move(note)),
        watch_(std::move(paths)) {}

  ~Impl() {
    if (!thread_.joinable()) return;
    watch_.stop();
    thread_.join();
  }

  Status open() {
    if (const Status opened = watch_.open(); !opened) return opened;
    if (const Status read = read_again(); !read) return read;
    thread_ = std::thread([this] { follow(); });
    return Done{};
  }

 private:
  Status read_again() {
    auto manifests = kube::load_manifests(paths_);
    if (!manifests) return manifests.error();
    Objects now = by_key(std::move(manifests->events));
    if (auto changes = difference(objects_, now); !changes.empty()) {
      apply_(std::move(changes));
    }
    objects_ = std::move(now);
    for (const std::string& warning : manifests->warnings) report(warning);
    for (const kube::Made& made : manifests->made) report(made.to_string());
    return Done{};
  }

  void report(const std::string& text) {
    if (reported_.insert(text).second && note_) note_(text);
  }

  void follow() {
    std::string last_complaint;
    while (watch_.wait(kQuiet)) {
      Status read = watch_.refresh();
      if (read) read = read_again();
      const std::string complaint = read ? std::string() : read.error().to_string();
      if (!read && complaint != last_complaint && complain_) complain_(read.error());
      last_complaint = complaint;
    }
  }

  const std::vector<std::filesystem::path> paths_;
  const Apply apply_;
  const Complaint complain_;
  const Note note_;
  PathWatch watch_;
  std::set<std::string> reported_;
  Objects objects_;  // as of the last read
  std::thread thread_;
};

Result<std::unique_ptr<ManifestSource>> ManifestSource::open(std::vector<std::string> paths,
                                                             Apply apply, Complaint complain,
                                                             Note note) {
  auto impl = std::make_unique<Impl>(std::move(paths), std::move(apply), std::move(complain),
                                     std::move(note));
  if (const Status opened = impl->open(); !opened) return opened.error();
  return std::unique_ptr<ManifestSource>(new ManifestSource(std::move(impl)));
}

ManifestSource::ManifestSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ManifestSource::~ManifestSource() = default;

}  // namespace berth::embedded
