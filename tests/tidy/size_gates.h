#pragma once

#include "tidy/tree.h"

namespace berth::tidy {

// Lines: 400 a file, 200 a public header.
Complaints files_that_are_long(const Tree& tree);
// 100 columns; a character is one whatever its bytes.
Complaints lines_that_are_long(const Tree& tree);
// 70 lines from the first of the signature to the closing brace.
Complaints functions_that_are_long(const Tree& tree);

struct Function {
  std::string signature;
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};
// Functions with a body at namespace or class scope, tests included.
std::vector<Function> functions_of(const std::string& text);

}  // namespace berth::tidy
