#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

using ImageId = StrongId<struct ImageTag>;

// Images by name, with their sizes in bytes, >= 0. Of a name that is repeated, the first counts.
using NamedImages = std::vector<std::pair<std::string, std::int64_t>>;

// Which nodes have which images. NODEORDER-6. Names are shared: most images are on many nodes. Only
// the Cluster changes it. Session thread only.
class ImageTable {
 public:
  struct OnNode {
    ImageId id;
    std::int64_t size = 0;  // bytes
    auto operator<=>(const OnNode&) const = default;
  };

  // Sorted by id. Valid until the next change.
  const std::vector<OnNode>& on(const std::string& node) const;
  std::int32_t nodes_with(ImageId id) const { return images_[id.index()].nodes; }
  // Changes whenever an image that shapes name comes to a node or goes from one.
  std::uint64_t version() const { return version_; }
  std::size_t size() const { return id_by_name_.size(); }

  // The node has these now. No images: it is forgotten. False: no image of a shape has changed.
  bool set(const std::string& node, const NamedImages& images);
  // The image, which one more shape names now; and the inverse.
  ImageId take(const std::string& name);
  void give_back(ImageId id);

 private:
  struct Image {
    std::string name;
    std::int32_t nodes = 0;
    std::uint32_t uses = 0;  // by shapes
  };
  ImageId intern(const std::string& name);
  void forget_if_unused(ImageId id);

  std::vector<Image> images_;
  std::vector<ImageId> free_;
  std::unordered_map<std::string, ImageId> id_by_name_;           // look-up only
  std::unordered_map<std::string, std::vector<OnNode>> by_node_;  // look-up only
  std::uint64_t version_ = 1;
};

}  // namespace berth
