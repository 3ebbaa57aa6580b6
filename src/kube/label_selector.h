#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/constraints.h"
#include "document/cursor.h"

namespace berth::kube {

// Kubernetes' LabelSelector: `matchLabels` and `matchExpressions`, all of which must hold.
std::vector<Expression> read_label_selector(const document::Cursor& from);

// The same as text, as kubectl's option --selector takes it: "team=ml,env in (a,b),!old". An empty
// text has no requirement. An Error says what is wrong at which requirement; it names no place.
Result<std::vector<Expression>> parse_label_selector(std::string_view text);

}  // namespace berth::kube
