# How tests are declared.
# Plugins of hwloc bring libraries of GPUs with them, which leak: no business of ours.
function(lk_without_hwloc_plugins name)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION HWLOC_PLUGINS_PATH=set:/nonexistent)
endfunction()

# lk_test (NAME SOURCE LIBRARY...) — one g_test program, run by ctest under NAME.  What is tested is in the libraries:
# the test's own source is compiled and linked in half the time.
function(lk_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARGN})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${name} PRIVATE -O1 -g1)
  endif()
  if(LK_LLD)
    target_link_options(${name} PRIVATE -fuse-ld=lld)
  endif()
  target_compile_definitions(${name} PRIVATE LK_SOURCE_DIR="${CMAKE_SOURCE_DIR}" LK_BUILD_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  lk_without_hwloc_plugins(${name})
endfunction()
