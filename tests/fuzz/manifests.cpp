// Manifests, with the pods that controllers make of them, as `berth plan` reads them.
#include "kube/manifests.h"

#include "document/readers.h"
#include "fuzz/fuzz.h"
#include "fuzz/object_type.h"
#include "kube/children.h"

namespace berth::fuzz {
namespace {

using document::Value;

// A short text may ask for a hundred thousand pods for each of its objects. Only few are made here.
class FewChildren {
 public:
  static constexpr std::size_t kMost = 30;

  Status make(const Value& object, bool is_made) {
    const kube::TypeName type = type_of(object);
    if (!kube::makes_children(type)) return Done{};
    std::vector<std::string> warnings;
    const auto remark = kube::make_children(
        {type, object, "f", is_made},
        [&](Value child) -> Status {
          if (++made_ > kMost) return Error{"enough", ""};
          return make(child, true);
        },
        warnings);
    return remark ? Status(Done{}) : remark.error();
  }
  bool are_few() const { return made_ <= kMost; }

 private:
  std::size_t made_ = 0;
};

// Lists in lists are not looked into.
bool makes_few(const std::string& text) {
  if (text.find("List") != text.npos) return true;
  FewChildren children;
  const auto take = [&](Value object, const document::ListHead&) -> Status {
    (void)children.make(object, false);
    return Done{};
  };
  (void)document::read_yaml(text, "f", take);
  return children.are_few();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(view_of(bytes, size));
  if (!makes_few(text)) return 0;
  const auto manifests = kube::parse_manifests(text, "f");
  if (!manifests) {
    expect_readable(manifests.error(), text);
    BERTH_CHECK(manifests.error().where.starts_with("f:"));
    return 0;
  }
  BERTH_CHECK(manifests->events.size() <= size + FewChildren::kMost);
  for (const std::string& warning : manifests->warnings) expect_readable({warning, ""}, text);
  return 0;
}

}  // namespace berth::fuzz
