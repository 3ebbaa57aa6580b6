#pragma once

#include <map>
#include <optional>
#include <string>

#include "berth/model/objects.h"

namespace berth::mirror {

// The PodGroups that Berth has made, as the watch shows them. By them a gang stays together while
// its owner is not known, or its annotation cannot be read (OWNED-16 of
// docs/design/gangs-of-owners.md). The session thread only.
class MadeGroups {
 public:
  // Return the key of the pods whose gang may be another now; empty: none.
  std::string put(const PodGroupObject& object);
  std::string erase(const std::string& full_name);

  // Of the owner's gang; null: none. An owner without a uid is found by its name.
  const PodGroupObject* find(const std::string& name_space, const OwnerReference& owner,
                             const std::string& suffix) const;
  const PodGroupObject* find(const std::string& full_name) const;
  static std::string key_of(const std::string& name_space, const OwnerReference& owner,
                            const std::string& suffix);

 private:
  std::map<std::string, PodGroupObject> groups_;  // by namespace/name
};

}  // namespace berth::mirror
