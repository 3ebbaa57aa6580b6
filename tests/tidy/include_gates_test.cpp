#include "tidy/include_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, LayersPointDown) { expect_clean(layers_that_point_up); }

TEST(Tidy, IncludesPointDown) { expect_clean(includes_that_point_up); }

TEST(Tidy, LibrariesAreIncludedByAdaptersAlone) { expect_clean(includes_of_third_parties); }

TEST(Tidy, HeadersAreGuardedAndIncludedFirst) { expect_clean(includes_out_of_order); }

TEST(Tidy, TheLayersAreThoseOfTheDesign) {
  const File* cmake = repository().find("CMakeLists.txt");
  ASSERT_NE(cmake, nullptr);
  const auto layers = layers_of(cmake->text);
  EXPECT_EQ(layers.at("base").below, std::set<std::string>{"base"});
  EXPECT_EQ(layers.at("engine").below, (std::set<std::string>{"base", "engine", "model"}));
  EXPECT_EQ(layers.at("plugins").below,
            (std::set<std::string>{"base", "engine", "model", "plugins"}));
  EXPECT_TRUE(layers.contains("daemon"));
  for (const auto& [name, layer] : layers) {
    EXPECT_EQ(layer.below.contains("daemon"), name == "daemon") << name;  // nothing includes it
  }
}

const char* const kLayers =
    "berth_layer(base)\n"
    "berth_layer(model DEPENDS base)\n"
    "berth_layer(engine DEPENDS model)\n"
    "berth_objects(plugins DIRECTORY plugins DEPENDS engine)\n"
    "berth_layer(conf DEPENDS model\n            THIRD_PARTY yaml-cpp)\n";

TEST(IncludeGates, RefuseLayersThatPointUp) {
  const Tree tree{{{"CMakeLists.txt", std::string(kLayers) +
                                          "berth_layer(ports DEPENDS conf THIRD_PARTY yaml-cpp)\n"
                                          "berth_layer(mirror DEPENDS model late)\n"
                                          "berth_layer(late)\n"}}};
  EXPECT_EQ(joined(layers_that_point_up(tree)),
            "CMakeLists.txt:7: ports is core, conf is not\n"
            "CMakeLists.txt:7: ports is core and may not use yaml-cpp\n"
            "CMakeLists.txt:8: mirror is declared before late\n"
            "CMakeLists.txt:8: mirror is core, late is not\n");
}

TEST(IncludeGates, RefuseIncludesThatPointUp) {
  const Tree tree{{{"CMakeLists.txt", kLayers},
                   {"include/berth/model/x.h",
                    "#include \"berth/base/x.h\"\n"
                    "#include \"berth/engine/x.h\"\n"},
                   {"plugins/x.cpp", "#include \"berth/engine/x.h\"\n#include \"actions/x.h\"\n"},
                   {"src/conf/x.cpp", "#include \"conf/x.h\"\n#include <berth/engine/x.h>\n"},
                   {"src/stray/x.cpp", ""},
                   {"tests/x.cpp", "#include \"conf/x.h\"\n"}}};
  EXPECT_EQ(joined(includes_that_point_up(tree)),
            "include/berth/model/x.h:2: model may not include \"berth/engine/x.h\"\n"
            "plugins/x.cpp:2: plugins may not include \"actions/x.h\"\n"
            "src/conf/x.cpp:2: conf may not include \"berth/engine/x.h\"\n"
            "src/stray/x.cpp:1: layer \"stray\" is not in CMakeLists.txt\n");
}

TEST(IncludeGates, RefuseLibrariesWhereTheyDoNotBelong) {
  const Tree tree{
      {{"CMakeLists.txt", kLayers},
       {"include/berth/conf/x.h", "#include <vector>\n#include <yaml-cpp/yaml.h>\n"},
       {"src/conf/x.cpp",
        "#include <yaml-cpp/yaml.h>\n#include <sys/stat.h>\n#include <boost/asio.hpp>\n"},
       {"src/engine/x.cpp", "#include <fmt/format.h>\n#include <unistd.h>\n"}}};
  EXPECT_EQ(joined(includes_of_third_parties(tree)),
            "include/berth/conf/x.h:2: conf may not include <yaml-cpp/yaml.h>\n"
            "src/conf/x.cpp:3: conf may not include <boost/asio.hpp>\n"
            "src/engine/x.cpp:1: engine may not include <fmt/format.h>\n"
            "src/engine/x.cpp:2: engine may not include <unistd.h>\n");
}

TEST(IncludeGates, WantGuardsAndOwnHeadersFirst) {
  const Tree tree{{{"include/berth/engine/z.h", "// Why.\n#pragma once\n"},
                   {"src/engine/x.cpp", "// Why.\n#include <vector>\n#include \"engine/x.h\"\n"},
                   {"src/engine/x.h", "#include <vector>\n#pragma once\n"},
                   {"src/engine/y.cpp", "#include \"engine/y.h\"\n"},
                   {"src/engine/y.h", "#pragma once\n"},
                   {"src/engine/z.cpp", "#include \"engine/x.h\"\n"}}};
  EXPECT_EQ(joined(includes_out_of_order(tree)),
            "src/engine/x.cpp:1: src/engine/x.h is not included first\n"
            "src/engine/x.h:1: #pragma once does not come first\n"
            "src/engine/z.cpp:1: include/berth/engine/z.h is not included first\n");
}

}  // namespace
}  // namespace berth::tidy
