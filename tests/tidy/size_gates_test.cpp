#include "tidy/size_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, FilesHaveAtMost400LinesAndPublicHeaders200) { expect_clean(files_that_are_long); }

TEST(Tidy, LinesHaveAtMost100Columns) { expect_clean(lines_that_are_long); }

TEST(Tidy, FunctionsHaveAtMost70Lines) { expect_clean(functions_that_are_long); }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(SizeGates, CountLinesOfFiles) {
  const Tree tree{{{"include/berth/x.h", repeated("\n", 200)},
                   {"include/berth/y.h", repeated("\n", 201)},
                   {"src/a/x.cpp", repeated("\n", 400)},
                   {"src/a/y.cpp", repeated("\n", 401)}}};
  EXPECT_EQ(joined(files_that_are_long(tree)),
            "include/berth/y.h:201: the file has 201 lines, at most 200\n"
            "src/a/y.cpp:401: the file has 401 lines, at most 400\n");
}

TEST(SizeGates, CountColumnsByCharacters) {
  const std::string exact = "//" + repeated("ü", 98);
  const Tree tree{{{"src/a/x.cpp", exact + "\n" + exact + "!\n"}}};
  EXPECT_EQ(joined(lines_that_are_long(tree)), "src/a/x.cpp:2: 101 columns\n");
}

TEST(SizeGates, CountLinesOfFunctionsFromSignatureToBrace) {
  const auto body = [](int lines) { return "void f(\n    int a) {\n" + repeated("  a;\n", lines); };
  const Tree tree{{{"src/a/x.cpp", body(67) + "}\n\n" + body(68) + "}\n"}}};
  EXPECT_EQ(joined(functions_that_are_long(tree)),
            "src/a/x.cpp:72: 71 lines: void f(     int a) \n");
}

TEST(SizeGates, FindFunctionsInEveryKindOfScope) {
  const std::vector<Function> functions = functions_of(R"cpp(
#define MACRO(x) \
      {              \
        x
    namespace a::b {
    namespace {
    constexpr int kRows[] = {1, 2};  // no function: {
    }
    class C final : public D {
     public:
      C(int a) : a_{a}, b_(1) {}
      int get() const { return a_; }

     private:
      int a_{1};
      std::vector<int> v_ = {1};
    };
    template <class T>
    struct E {
      enum class Kind { x, y };
      auto f(T t) -> int {
        if (t) {
          return '{';
        }
        return "}"[0] + 1'000;
      }
    };
    TEST(Suite, Name) {}
    }
  )cpp");
  std::vector<std::size_t> first_lines;
  for (const Function& function : functions) first_lines.push_back(function.first_line);
  EXPECT_EQ(first_lines, (std::vector<std::size_t>{11, 12, 21, 28}));
  EXPECT_EQ(functions.at(2).last_line, 26U);
}

}  // namespace
}  // namespace berth::tidy
