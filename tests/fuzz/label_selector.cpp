// Selectors of labels as text, read again as they are written, and syntax of labels.
#include "kube/label_selector.h"

#include "berth/base/label_syntax.h"
#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

std::string text_of(const Expression& requirement) {
  if (requirement.op == Operator::exists) return requirement.key;
  if (requirement.op == Operator::does_not_exist) return "!" + requirement.key;
  std::string text = requirement.key + (requirement.op == Operator::in ? " in (" : " notin (");
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    text += (i > 0 ? "," : "") + requirement.values[i];
  }
  return text + ")";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = view_of(bytes, size);
  const auto selector = kube::parse_label_selector(text);
  BERTH_CHECK(!is_label_value(text) || text.size() <= 63);
  BERTH_CHECK(!is_label_key(text) || text.size() <= 253 + 1 + 63);
  if (!selector) {
    expect_readable(selector.error(), text);
    return 0;
  }
  std::string written;
  for (const Expression& each : *selector) {
    written += (written.empty() ? "" : ",") + text_of(each);
  }
  const auto again = kube::parse_label_selector(written);
  BERTH_CHECK(again && *again == *selector);
  return 0;
}

}  // namespace berth::fuzz
