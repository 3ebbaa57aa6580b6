#include "document/readers.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::document {
namespace {

Value from_yaml(const std::string& text) {
  const Result<Value> value = parse_yaml(text, "f.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return value ? *value : Value();
}

Value from_json(const std::string& text) {
  const Result<Value> value = parse_json(text, "f.json");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return value ? *value : Value();
}

std::string yaml_error(const std::string& text) {
  const Result<Value> value = parse_yaml(text, "f.yaml");
  return value ? "" : value.error().to_string();
}

std::string json_error(const std::string& text) {
  const Result<Value> value = parse_json(text, "f.json");
  return value ? "" : value.error().to_string();
}

TEST(Yaml, resolves_plain_scalars_by_the_core_schema) {
  const struct {
    const char* text;
    Kind kind;
  } cases[] = {{"~", Kind::null},
               {"null", Kind::null},
               {"", Kind::null},
               {"true", Kind::boolean},
               {"FALSE", Kind::boolean},
               {"yes", Kind::string},
               {"on", Kind::string},
               {"y", Kind::string},
               {"nULL", Kind::string},
               {"12", Kind::number},
               {"-3", Kind::number},
               {"+3", Kind::number},
               {"0x1F", Kind::number},
               {"0o17", Kind::number},
               {"010", Kind::number},
               {"1.5", Kind::number},
               {".5", Kind::number},
               {"1.", Kind::number},
               {"1e3", Kind::number},
               {"2E-3", Kind::number},
               {".inf", Kind::number},
               {"-.INF", Kind::number},
               {".nan", Kind::number},
               {"1_000", Kind::string},
               {"250m", Kind::string},
               {"4Gi", Kind::string},
               {"1e", Kind::string},
               {".", Kind::string},
               {"-", Kind::string},
               {"0x", Kind::string},
               {"2026-11-21", Kind::string},
               {"'12'", Kind::string},
               {"\"true\"", Kind::string},
               {"!!str 12", Kind::string},
               {"\"~\"", Kind::string}};
  for (const auto& [text, kind] : cases) {
    if (std::string(text) == "-") continue;  // a list
    const Value value = from_yaml("k: " + std::string(text) + "\n");
    ASSERT_NE(value.find("k"), nullptr) << text;
    EXPECT_EQ(value.find("k")->kind, kind) << text;
  }
}

TEST(Yaml, and_json_give_the_same_values_at_the_right_places) {
  const Value yaml = from_yaml("a: 1\nb:\n  - x\n  - \"2\"\n  - {c: true, d: null}\n");
  const Value json = from_json(R"({"a": 1,
 "b": ["x", "2", {"c": true, "d": null}]})");
  EXPECT_TRUE(same_content(yaml, json));
  EXPECT_EQ(yaml.find("b")->items[2].find("c")->position, (Position{5, 9}));
  EXPECT_EQ(yaml.members[1].position, (Position{2, 1}));
  EXPECT_EQ(json.find("b")->items[2].find("c")->position, (Position{2, 24}));
  EXPECT_EQ(json.members[1].position, (Position{2, 2}));
  EXPECT_FALSE(same_content(yaml, from_json(R"({"a": 1, "b": []})")));
}

TEST(Yaml, places_an_error_in_the_right_document_and_gives_those_before) {
  int documents = 0;
  const Status status = read_yaml("# head\n---\na: 1\n--- # two\nb: 2\n---\n---\nc: [1\n", "f.yaml",
                                  [&](Value value, const ListHead&) -> Status {
                                    EXPECT_EQ(value.members.size(), 1U);
                                    ++documents;
                                    return Done{};
                                  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(documents, 2);
  EXPECT_EQ(status.error().where.rfind("f.yaml:", 0), 0U);
  EXPECT_EQ(status.error().to_string(),
            "f.yaml:9:1: not valid YAML: end of sequence flow not found");
}

TEST(Yaml, reads_carriage_returns_a_byte_order_mark_and_block_scalars) {
  const Value value = from_yaml(
      "\xEF\xBB\xBF"
      "a: \"x\"\r\nb: 'it''s'\r\nc: |\r\n  \"open\r\n");
  EXPECT_EQ(value.find("a")->text, "x");
  EXPECT_EQ(value.find("b")->text, "it's");
  EXPECT_EQ(value.find("c")->text.substr(0, 5), "\"open");
}

TEST(Yaml, follows_aliases_but_not_without_bound) {
  const Value value = from_yaml("a: &x {n: 1}\nb: *x\nc: [*x, *x]\n");
  EXPECT_TRUE(same_content(*value.find("a"), *value.find("b")));
  EXPECT_EQ(value.find("c")->items.size(), 2U);

  std::string laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 1; j < 10; ++j) laughs += ", " + last;
    laughs += "]\n";
  }
  EXPECT_NE(yaml_error(laughs).find("more than 100000 values"), std::string::npos);
  EXPECT_EQ(yaml_error("a: &x [1, *x]\n"), "f.yaml:1:11: an alias inside its own value");
  EXPECT_NE(yaml_error("a: *nobody\n"), "");
}

TEST(Yaml, refuses_nesting_that_aliases_or_brackets_make_too_deep) {
  EXPECT_NE(yaml_error(std::string(100'000, '[')), "");
  EXPECT_NE(yaml_error(std::string(5'000, '[') + std::string(5'000, ']')).find("deeper than 100"),
            std::string::npos);
  EXPECT_NE(yaml_error(std::string(100'000, '{')), "");
  std::string block;
  for (std::size_t i = 0; i < 2'000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_NE(yaml_error(block).find("deeper than 100"), std::string::npos);
  const std::string sixty = std::string(60, '[') + std::string(60, ']');
  EXPECT_EQ(yaml_error("a: " + sixty + "\n"), "");
  EXPECT_NE(yaml_error("a: &x " + sixty + "\nb: " + std::string(60, '[') + "*x" +
                       std::string(60, ']') + "\n"),
            "");
}

TEST(Yaml, refuses_what_yaml_cpp_lets_pass) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: duplicate key \"a\", expected each key once"},
      {"a: \"never\n  ends\n", "f.yaml:1:4: a quote that never ends, expected a closing quote"},
      {"a: &x \"never\n", "f.yaml:1:4: a quote that never ends, expected a closing quote"},
      {"- 'it''s\n", "f.yaml:1:3: a quote that never ends, expected a closing quote"},
      {"a: \"b\\\"\n", "f.yaml:1:4: a quote that never ends, expected a closing quote"},
      {"[a]: 1\n", "f.yaml:1:1: a list or map as a key, or one that never ends, expected a name"},
      {"? {a: b}\n: 1\n",
       "f.yaml:1:3: a list or map as a key, or one that never ends, expected a name"},
      {"~: 1\n", "f.yaml:1:1: nothing as a key, expected a name"},
      {"a: &x {b: 1}\nc:\n  <<: *x\n",
       "f.yaml:3:3: the merge key \"<<\", expected the keys themselves"},
      {"a: !thing b\n", "f.yaml:1:4: the tag \"!thing\", expected a plain or quoted value"},
      {"a: !thing [b]\n", "f.yaml:1:4: the tag \"!thing\", expected none"},
      {"%YAML 1.2\n---\na: 1\n", "f.yaml:1:1: a YAML directive, expected none"},
      {"a: 1\n---\nb: 1\n", "f.yaml:3:1: a second document, expected one"},
      {"a: 1\nb: x\x01y\n", "f.yaml:2:5: a control character, expected text in UTF-8"},
      {"a: 1\nb: x\xFFy\n", "f.yaml:2:5: a byte that is not UTF-8, expected text in UTF-8"},
      {"a: \"b\\N\"\n", "f.yaml:1:4: an escape \\N or \\_, expected the character itself"},
      {"a: \"b\\_\"\n", "f.yaml:1:4: an escape \\N or \\_, expected the character itself"},
      {"\"\\_\": b\n", "f.yaml:1:1: an escape \\N or \\_, expected the character itself"},
      {"a: \"\\\xC3\xA9\"\n", "f.yaml:1:7: not valid YAML: unknown escape character: \xEF\xBF\xBD"},
      {"a: \xC3", "f.yaml:1:4: a byte that is not UTF-8, expected text in UTF-8"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(yaml_error(text), error) << text;
}

TEST(Yaml, gives_nothing_for_an_empty_file_and_for_comments) {
  for (const char* text : {"", "\n\n", "# only\n", "---\n---\n# x\n", "---\n...\n"}) {
    EXPECT_EQ(from_yaml(text).kind, Kind::null) << text;
  }
}

TEST(Json, takes_lists_apart_whether_their_kind_stands_before_or_behind) {
  for (const char* text : {R"({"kind":"PodList","apiVersion":"v1","items":[{"a":1},{"a":2}]})",
                           R"({"apiVersion":"v1","items":[{"a":1},{"a":2}],"kind":"PodList",
                               "metadata":{"resourceVersion":""}})"}) {
    std::string seen;
    const Status status =
        read_json(text, "f.json", [&](Value item, const ListHead& list) -> Status {
          seen += list.kind + list.api_version + ":" + item.find("a")->text + ";";
          return Done{};
        });
    ASSERT_TRUE(status.has_value()) << status.error().to_string();
    EXPECT_EQ(seen, "PodListv1:1;PodListv1:2;");
  }
}

TEST(Json, ends_at_the_first_error_of_the_sink) {
  int seen = 0;
  const Status status = read_json(R"({"items":[{},{},{}],"kind":"List"})", "f.json",
                                  [&](Value, const ListHead&) -> Status {
                                    if (++seen == 2) return Error{"enough", "here"};
                                    return Done{};
                                  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().to_string(), "here: enough");
  EXPECT_EQ(seen, 2);
}

TEST(Json, reads_escapes_and_leaves_managed_fields_out) {
  const Value value = from_json(
      "{\"a\\u0062\": \"x\\n\\ud83d\\ude00\", \"managedFields\": [{\"f\": 1}], \"n\": -1.5e3}");
  EXPECT_EQ(value.find("ab")->text, "x\n\xF0\x9F\x98\x80");
  EXPECT_EQ(value.find("managedFields"), nullptr);
  EXPECT_EQ(value.find("n")->text, "-1.5e3");
  EXPECT_EQ(from_json("").kind, Kind::null);
  EXPECT_EQ(from_json("\xEF\xBB\xBF{}").kind, Kind::map);
}

TEST(Json, refuses_what_is_not_json_and_says_where) {
  const struct {
    const char* text;
    const char* where;
  } cases[] = {
      {"{\"a\": 1,\n \"a\": 2}", "f.json:2:2"},
      {"{\"a\":\n tru}", "f.json:2:2"},
      {"{\"a\": 01}", "f.json:1:7"},
      {"{\"a\": +1}", "f.json:1:7"},
      {"{\"a\": 1.}", "f.json:1:7"},
      {"{\"a\": 1e}", "f.json:1:7"},
      {"{\"a\":\n \"x", "f.json:2:2"},
      {"{\"a\": \"x\ny\"}", "f.json:1:7"},
      {"{\"a\": \"x\xFF\"}", "f.json:1:9"},
      {"3", "f.json:1:1"},
      {"{} {}", "f.json:1:4"},
      {"{\"a\": 1} x", "f.json:1:10"},
  };
  for (const auto& [text, where] : cases) {
    const Result<Value> value = parse_json(text, "f.json");
    ASSERT_FALSE(value.has_value()) << text;
    EXPECT_EQ(value.error().where, where) << text << " " << value.error().message;
  }
  for (const char* text :
       {"{", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "{]", "[}",
        "{\"a\":\"\\q\"}", "{\"a\":\"\\ud800\"}", "{1:2}", "{\"a\" 1}", "nul", "]"}) {
    EXPECT_NE(json_error(text), "") << text;
  }
}

TEST(Json, refuses_nesting_deeper_than_a_hundred_levels) {
  EXPECT_NE(json_error(std::string(100'000, '[')), "");
  const std::string deep = std::string(101, '[') + std::string(101, ']');
  EXPECT_NE(json_error(deep).find("deeper than 100"), std::string::npos) << json_error(deep);
  EXPECT_EQ(json_error(std::string(100, '[') + std::string(100, ']')), "");
}

TEST(Json, refuses_every_truncation_of_a_document) {
  const std::string whole =
      R"({"kind":"List","items":[{"a":[1,2.5e1,"x\"y",null]},{"b":{"c":true}}]})";
  const DocumentSink sink = [](Value, const ListHead&) -> Status { return Done{}; };
  ASSERT_TRUE(read_json(whole, "f", sink).has_value());
  for (std::size_t length = 1; length < whole.size(); ++length) {
    EXPECT_FALSE(read_json(whole.substr(0, length), "f", sink).has_value()) << length;
    EXPECT_FALSE(parse_json(whole.substr(0, length), "f").has_value()) << length;
  }
}

}  // namespace
}  // namespace berth::document
