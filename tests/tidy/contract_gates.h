#pragma once

#include <set>
#include <string>

#include "tidy/tree.h"

namespace berth::tidy {

// Every plugin and action has docs/design/<name>.md with at least one rule.
Complaints plugins_without_document(const Tree& tree);

// Each rule of a document in docs/design occurs in the code that it names ("Code: `path`"). An id
// is the first cell of a table's row: "| GANG-1 |".
Complaints rules_that_differ(const Tree& tree);

// Each id stands in one table, and all ids of a prefix in one document. Each mention of an id, in
// any file, is of an id that exists.
Complaints rules_that_do_not_resolve(const Tree& tree);

// Each of those ids occurs in a test: in a file of tests/ with the document's name in its path, or
// one that the document names ("Tests: `path`").
Complaints rules_without_test(const Tree& tree);

// Every reason has a sentence, and occurs in a test unless `untested` says otherwise.
Complaints reasons_without_sentence(const Tree& tree);
Complaints reasons_without_test(const Tree& tree, const std::set<std::string>& untested);

// docs/metrics.md lists the metrics that are named in src/, and no others.
Complaints metrics_that_differ(const Tree& tree);

// Every extension point has a sentence above it, and is asked in src/ unless `unasked` says
// otherwise. A point in `unasked` that is asked is a complaint.
Complaints points_without_sentence(const Tree& tree);
Complaints points_nobody_asks(const Tree& tree, const std::set<std::string>& unasked);

}  // namespace berth::tidy
