#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"

namespace berth::embedded {

// Keeps a cluster equal to a set of manifest files and directories. It takes in files
// that appear, change or vanish. An object with unchanged text stays untouched, so an ended or
// evicted pod does not come back by itself.
class ManifestSource {
 public:
  using Apply = std::function<void(std::vector<ClusterEvent> changes)>;
  using Complaint = std::function<void(const Error&)>;
  using Note = std::function<void(const std::string&)>;

  // Reads `paths`, gives `apply` what users would create, and then follows them: its later calls
  // come on a thread of the source. If one cannot be read, returns an Error, and nothing is
  // applied. Later, a bad file is reported to `complain`, once for each message, and the last good
  // state stays. `note` gets warnings, and what is made for objects without pods, once each.
  static Result<std::unique_ptr<ManifestSource>> open(std::vector<std::string> paths, Apply apply,
                                                      Complaint complain, Note note = {});
  ~ManifestSource();
  ManifestSource(const ManifestSource&) = delete;
  ManifestSource& operator=(const ManifestSource&) = delete;

 private:
  class Impl;
  explicit ManifestSource(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::embedded
