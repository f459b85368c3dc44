# What every target of the project is built with, and add_op().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# All of it may become part of libprelaunch.so, which shows what prelaunch.h declares and no more.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_package(fmt REQUIRED)
find_package(dlpack REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)

# --- what everything links: include paths, warnings, sanitizers -----------------------------------
add_library(prelaunch_options INTERFACE)
target_include_directories(prelaunch_options INTERFACE ${PROJECT_SOURCE_DIR}
                                                       ${PROJECT_BINARY_DIR}/generated)
# Header-only fmt makes self-contained binaries, at four seconds of compilation a file.
target_link_libraries(prelaunch_options INTERFACE
  $<IF:$<BOOL:${PRELAUNCH_PORTABLE}>,fmt::fmt-header-only,fmt::fmt> dlpack::dlpack)
if(PRELAUNCH_PORTABLE)
  target_link_options(prelaunch_options INTERFACE -static-libstdc++ -static-libgcc)
endif()
# Other people's compilers warn about other things.
set(werror $<$<NOT:$<BOOL:${PRELAUNCH_PORTABLE}>>:-Werror>)
target_compile_options(prelaunch_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion ${werror} -fno-omit-frame-pointer>
  $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Wall,-Wextra>)
if(PRELAUNCH_SANITIZERS)
  set(flags -fsanitize=${PRELAUNCH_SANITIZERS} -fno-sanitize-recover=all)
  if(PRELAUNCH_SANITIZERS MATCHES address)
    # Use-after-return would give every emulated thread a fake stack: 10 times slower, and the kernels'
    # stacks are watched by the other checks.
    list(APPEND flags $<$<CXX_COMPILER_ID:Clang>:-fsanitize-address-use-after-return=never>)
  endif()
  target_compile_options(prelaunch_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
  target_link_options(prelaunch_options INTERFACE ${flags})
endif()
if("${CMAKE_CXX_FLAGS} ${PRELAUNCH_SANITIZERS}" MATCHES fuzzer-no-link)
  # Of the source folder alone: what is generated lies in a build folder that may be called fuzz.
  set(ignored ${PROJECT_BINARY_DIR}/generated/coverage_ignore.txt)
  configure_file(${PROJECT_SOURCE_DIR}/fuzz/coverage_ignore.txt.in ${ignored} @ONLY)
  target_compile_options(prelaunch_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-coverage-ignorelist=${ignored}>)
endif()

# --- the backend behind the door ------------------------------------------------------------------
if(PRELAUNCH_BACKEND STREQUAL "auto")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(backend cuda)
  else()
    set(backend emulator)
    message(STATUS "CUDA Toolkit not found: the GPU backend is left out")
  endif()
else()
  set(backend ${PRELAUNCH_BACKEND})
endif()
if(backend STREQUAL "cuda")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 90)  # machine code for sm_90 and PTX for what comes after
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know it
  find_package(CUDAToolkit REQUIRED)
endif()

# Where it is ON, GoogleTest is needed. They run kernels in the emulator.
if(PRELAUNCH_FUZZ AND NOT PRELAUNCH_PORTABLE AND backend STREQUAL "emulator")
  set(tests ON)
else()
  set(tests OFF)
endif()

# add_unit_test(name source library...): one GoogleTest binary, one ctest entry.
function(add_unit_test name source)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/${source})
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest_main)
  cmake_path(GET source PARENT_PATH dir)
  # What they test is optimised; they themselves run once, and are compiled in half the time. Those of
  # kernels hold kernels, whose threads have small stacks.
  if(dir MATCHES "^fuzz")
    target_compile_options(${name} PRIVATE -O0)
  endif()
  add_test(NAME ${dir}/${name} COMMAND ${name})
endfunction()

enable_testing()  # here, because what a function sets, as this does, ends with it
if(tests)
  find_package(GTest REQUIRED)
endif()
add_subdirectory(${PROJECT_SOURCE_DIR}/kernels)

# --- operations -----------------------------------------------------------------------------------
# add_op(name): kernels/<name>/{<name>.h contract.h cases.h kernel.cu reference.cc <name>_test.cc},
# bench/<name>_bench.cu and fuzz/<name>_fuzzer.cc become a library, tests, benchmarks and targets.
function(add_op name)
  set(dir ${PROJECT_SOURCE_DIR}/kernels/${name})
  set(check ${PROJECT_BINARY_DIR}/generated/${name}_check.cc)
  file(CONFIGURE OUTPUT ${check} @ONLY CONTENT [[
#include "kernels/@name@/contract.h"
#include "kernels/common/check.h"

namespace prelaunch {
template Check<@name@::Op> check<@name@::Op>(const @name@::Args&);
template Check<@name@::Op> check_without<@name@::Op>(const @name@::Args&, std::size_t);
}  // namespace prelaunch
]])
  add_library(${name} STATIC ${check} ${dir}/reference.cc ${dir}/kernel.cu)
  target_link_libraries(${name} PUBLIC prelaunch_common)
  build_kernel_source(${name} ${dir}/kernel.cu)
  if(tests)
    add_unit_test(${name}_test kernels/${name}/${name}_test.cc ${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY PRELAUNCH_OPS ${name})
endfunction()

# Compiles a .cu source of `target` for the tree's backend: by nvcc, or as C++ for the emulator.
function(build_kernel_source target source)
  if(backend STREQUAL "emulator")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()

# Writes the one list of ops as a header and builds what works on all of them.
function(finish_ops)
  get_property(ops GLOBAL PROPERTY PRELAUNCH_OPS)
  set(includes "")
  set(types "")
  foreach(op IN LISTS ops)
    string(APPEND includes "#include \"kernels/${op}/cases.h\"\n#include \"kernels/${op}/contract.h\"\n")
    list(APPEND types "OpEntry<${op}::Op, ${op}::Cases>")
  endforeach()
  list(JOIN types ", " types)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/prelaunch_ops.h @ONLY CONTENT [[
// Generated from the add_op() lines of CMakeLists.txt: the one list of operations.
#pragma once

@includes@
#include "kernels/common/op_list.h"

namespace prelaunch {
using Ops = OpList<@types@>;
}  // namespace prelaunch
]])
  if(NOT PRELAUNCH_PORTABLE)
    add_subdirectory(${PROJECT_SOURCE_DIR}/kernels/capi)
  endif()
  if(PRELAUNCH_FUZZ)
    add_subdirectory(fuzz)
  else()
    add_subdirectory(bench)
    add_subdirectory(reports)
  endif()
endfunction()
