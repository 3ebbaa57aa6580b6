#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/checkout.h"
#include "tidy/repository.h"

namespace berth::tidy {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Hunks that are not in the files that the patch changes.
Complaints hunks_that_do_not_fit(const File& patch, const Tree& tree) {
  Complaints complaints;
  const File* changed = nullptr;
  std::string before;
  std::size_t begin = 0, number = 0;
  const auto end_hunk = [&] {
    const bool fits =
        before.empty() || (changed != nullptr && changed->text.find(before) != std::string::npos);
    if (!fits) complaints.push_back(complaint(patch, begin, "does not fit"));
    before.clear();
  };
  for (const std::string& line : patch.lines()) {
    ++number;
    const bool is_name = line.starts_with("--- a/"), is_hunk = line.starts_with("@@");
    if (is_name || is_hunk || line.starts_with("diff ")) end_hunk();
    if (is_name) changed = tree.find(line.substr(6));
    if (is_hunk) begin = number;
    const bool is_of_hunk = begin > 0 && !is_name && !is_hunk;
    if (is_of_hunk && (line.starts_with(" ") || line.starts_with("-"))) {
      before += line.substr(1) + "\n";
    }
  }
  end_hunk();
  return complaints;
}

// scripts/plant-faults needs all of them.
TEST(Tidy, PlantedFaultsFitTheCode) {
  const std::filesystem::path folder = support::source_file("tests/world/planted");
  Complaints complaints;
  std::size_t patches = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++patches;
    const File patch{"tests/world/planted/" + entry.path().filename().string(),
                     text_of(entry.path())};
    std::ranges::move(hunks_that_do_not_fit(patch, repository()), std::back_inserter(complaints));
  }
  EXPECT_EQ(joined(complaints), "");
  EXPECT_GE(patches, 10U);
}

TEST(PlantedFaults, AreComparedWithTheCode) {
  const Tree tree{{{"src/a.cpp", "int a = 1;\nint b = 2;\n"}}};
  const auto complaints_of = [&](const std::string& line) {
    return joined(hunks_that_do_not_fit(
        {"x.patch", "--- a/src/a.cpp\n+++ b/src/a.cpp\n@@ -1,2 +1,2 @@\n int a = 1;\n-" + line +
                        "\n+int b = 3;\n"},
        tree));
  };
  EXPECT_EQ(complaints_of("int b = 2;"), "");
  EXPECT_EQ(complaints_of("int c = 2;"), "x.patch:3: does not fit\n");
}

}  // namespace
}  // namespace berth::tidy
