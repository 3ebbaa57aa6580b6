# berth_bundle(TARGET DIRECTORY): the files of the page in this directory, as page::assets() of the
# target. Included, it is that function; run with -P, it writes one of the two kinds of source files.

if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -DFILE=app.js -DINDEX=0 -DOUT=asset_0.cpp -P: the bytes and the compressed bytes of a file.
  file(SHA256 ${FILE} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  execute_process(COMMAND gzip -9 -n -c ${FILE} OUTPUT_FILE ${OUT}.gz COMMAND_ERROR_IS_FATAL ANY)
  set(text "#include <string_view>\n\nnamespace berth::page {\n\n")
  foreach(kind bytes compressed)
    set(from ${FILE})
    if(kind STREQUAL compressed)
      set(from ${OUT}.gz)
    endif()
    file(READ ${from} hex HEX)
    string(LENGTH "${hex}" length)
    math(EXPR length "${length} / 2")
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND text "static const unsigned char k_${kind}_${INDEX}[] = {\n${hex}};\n"
                       "extern const std::string_view asset_${kind}_${INDEX};\n"
                       "const std::string_view asset_${kind}_${INDEX}(\n"
                       "    reinterpret_cast<const char*>(k_${kind}_${INDEX}), ${length});\n\n")
  endforeach()
  string(APPEND text "extern const std::string_view asset_hash_${INDEX};\n"
                     "const std::string_view asset_hash_${INDEX} = \"${hash}\";\n\n}  // namespace berth::page\n")
  file(WRITE ${OUT} "${text}")
  return()
endif()

function(berth_bundle target directory)
  set(html "text/html; charset=utf-8")
  set(js "text/javascript; charset=utf-8")
  set(css "text/css; charset=utf-8")
  set(txt "text/plain; charset=utf-8")
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*)
  list(SORT files)
  set(index 0)
  set(declared "")
  set(rows "")
  foreach(file ${files})
    cmake_path(GET file FILENAME name)
    cmake_path(GET file EXTENSION LAST_ONLY suffix)
    string(SUBSTRING ${suffix} 1 -1 suffix)
    set(out ${CMAKE_BINARY_DIR}/generated/page/asset_${index}.cpp)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DINDEX=${index} -DOUT=${out}
              -P ${CMAKE_SOURCE_DIR}/cmake/BerthBundle.cmake
      DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/BerthBundle.cmake)
    target_sources(${target} PRIVATE ${out})
    foreach(part bytes compressed hash)
      string(APPEND declared "extern const std::string_view asset_${part}_${index};\n")
    endforeach()
    string(APPEND rows "      {\"${name}\", \"${${suffix}}\", asset_hash_${index}, asset_bytes_${index},\n"
                       "       asset_compressed_${index}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/page/assets.cpp CONTENT
"#include \"page/assets.h\"

namespace berth::page {

${declared}
std::span<const Asset> assets() {
  static const Asset kAssets[] = {
${rows}  };
  return kAssets;
}

}  // namespace berth::page
" @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated/page/assets.cpp)
endfunction()
