#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/result.h"

namespace berth::conf {

// Watches the directory of a file, so that editors' renames, a file that goes and comes back, and
// the symlink swap of a mounted ConfigMap are all seen. What lies behind a link elsewhere, and a
// directory that was replaced, is looked at every few seconds.
class FileWatch {
 public:
  // Called on the watch's own thread with the new text, once per change of content, after the file
  // has been quiet for a moment. A file that cannot be read is no change.
  using Callback = std::function<void(std::string text)>;

  // `text` is what the caller has read already.
  static Result<std::unique_ptr<FileWatch>> start(const std::filesystem::path& file,
                                                  std::string text, Callback callback);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Returns when no callback will come any more. Idempotent; not from the callback.
  void stop();

 private:
  class Loop;
  explicit FileWatch(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace berth::conf
