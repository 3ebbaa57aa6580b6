#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "embedded/cluster.h"

namespace berth::embedded {

// Keeps an embedded cluster as a set of manifest files and directories describes it. Files that
// appear, change or vanish in a directory are picked up; of an object whose text did not change
// nothing is touched, so a pod that ended or was evicted does not come back by itself.
class ManifestSource {
 public:
  using Complaint = std::function<void(const Error&)>;

  // Reads `paths` into `cluster`, which must outlive the source, and then follows them. An Error,
  // and an untouched cluster, if one cannot be read. Later, a bad file goes to `complain` (on a
  // thread of the source), once per message, and the last good state is kept.
  static Result<std::unique_ptr<ManifestSource>> open(std::vector<std::string> paths,
                                                      EmbeddedCluster& cluster, Complaint complain);
  ~ManifestSource();
  ManifestSource(const ManifestSource&) = delete;
  ManifestSource& operator=(const ManifestSource&) = delete;

 private:
  class Impl;
  explicit ManifestSource(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::embedded
