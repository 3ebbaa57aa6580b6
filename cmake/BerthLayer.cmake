# berth_layer(NAME DEPENDS layer... THIRD_PARTY target...): src/NAME/**.cpp as static library berth_NAME.
# berth_objects(NAME DIRECTORY dir DEPENDS layer...): an object library, for files that register
# themselves: a linker may not drop them.
# berth_protobuf(TARGET FILE): adds the classes of src/LAYER/NAME.proto, included as "LAYER/NAME.pb.h".
# berth_program(NAME SOURCE file LAYERS layer... [PLUGINS]): an executable.

add_library(berth_options INTERFACE)
target_compile_options(berth_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
# GCC 12 warns falsely of overlap in `"text" + std::string` (GCC bug 105651).
target_compile_options(berth_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(BERTH_UNITY)
  # g++ takes a file that is included for a header, so it warns of each class with a local type in it.
  # clang takes the second `using Name = Type` for one that shadows the first; g++ looks at shadows, too.
  target_compile_options(berth_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
                                                 $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()
target_compile_definitions(berth_options INTERFACE
  BERTH_VERSION="${PROJECT_VERSION}" $<$<BOOL:${BERTH_CHECKED}>:BERTH_CHECKED>)
# __FILE__ in a .cpp file is a path in the repository, so that ccache shares objects between checkouts.
target_compile_options(berth_options INTERFACE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(BERTH_SANITIZE)
  target_compile_options(berth_options INTERFACE -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(berth_options INTERFACE -fsanitize=${BERTH_SANITIZE})
  if(BERTH_SANITIZE MATCHES undefined)
    # vptr tries memory by opening a pipe, so it fails where descriptors run out; and it finds fault
    # with cpprestsdk's headers. The others check each access again that the address sanitizer checks,
    # and are a third of the time of a compiler.
    target_compile_options(berth_options INTERFACE
                           -fno-sanitize=vptr,null,alignment,object-size,pointer-overflow)
  endif()
  # GCC's manual: with sanitizers these warnings are often false.
  target_compile_options(berth_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

function(berth_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;THIRD_PARTY" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main/[^/]*$")
  list(TRANSFORM ARG_DEPENDS PREPEND berth_)
  if(sources)
    add_library(berth_${name} STATIC ${sources})
    target_include_directories(berth_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(berth_${name} PUBLIC berth_options ${ARG_DEPENDS} PRIVATE ${ARG_THIRD_PARTY})
  else()
    add_library(berth_${name} INTERFACE)
    target_include_directories(berth_${name} INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(berth_${name} INTERFACE berth_options ${ARG_DEPENDS})
  endif()
endfunction()

function(berth_objects name)
  cmake_parse_arguments(ARG "" "DIRECTORY" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_DIRECTORY}/*.cpp)
  if(sources)
    list(TRANSFORM ARG_DEPENDS PREPEND berth_)
    add_library(berth_${name} OBJECT ${sources})
    target_include_directories(berth_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src
                               ${CMAKE_SOURCE_DIR})
    target_link_libraries(berth_${name} PUBLIC berth_options ${ARG_DEPENDS})
  endif()
endfunction()

function(berth_protobuf target file)
  cmake_path(GET file STEM name)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH root)
  cmake_path(GET folder FILENAME layer)
  set(generated ${CMAKE_BINARY_DIR}/generated/${root})
  set(stem ${generated}/${layer}/${name}.pb)
  file(MAKE_DIRECTORY ${generated}/${layer})
  add_custom_command(
    OUTPUT ${stem}.cc ${stem}.h
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/${root} --cpp_out=${generated}
            ${CMAKE_SOURCE_DIR}/${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/${file})
  target_sources(${target} PRIVATE ${stem}.cc ${stem}.h)
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  # Others' code: our warnings are not for it.
  set_source_files_properties(${stem}.cc PROPERTIES COMPILE_OPTIONS -w)
endfunction()

# Links the self-registering objects of `actions` and `plugins` into a program or test.
function(berth_link_registered target)
  foreach(objects actions plugins)
    if(TARGET berth_${objects})
      target_link_libraries(${target} PRIVATE berth_${objects})
    endif()
  endforeach()
endfunction()

function(berth_program name)
  cmake_parse_arguments(ARG "PLUGINS" "SOURCE" "LAYERS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${ARG_SOURCE})
    return()
  endif()
  list(TRANSFORM ARG_LAYERS PREPEND berth_)
  add_executable(${name} ${ARG_SOURCE})
  target_link_libraries(${name} PRIVATE ${ARG_LAYERS} fmt::fmt)
  if(ARG_PLUGINS)
    berth_link_registered(${name})
  endif()
endfunction()
