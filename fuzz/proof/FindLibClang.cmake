# libclang, the C interface to clang's syntax tree: target LibClang::LibClang.
find_path(LibClang_INCLUDE_DIR clang-c/Index.h PATHS /usr/lib/llvm-19/include)
find_library(LibClang_LIBRARY NAMES clang-19 clang PATHS /usr/lib/llvm-19/lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang REQUIRED_VARS LibClang_LIBRARY LibClang_INCLUDE_DIR)
if(LibClang_FOUND AND NOT TARGET LibClang::LibClang)
  add_library(LibClang::LibClang UNKNOWN IMPORTED)
  # After all others: LLVM's folder holds headers of its C++ library as well.
  set_target_properties(LibClang::LibClang PROPERTIES
    IMPORTED_LOCATION ${LibClang_LIBRARY}
    INTERFACE_COMPILE_OPTIONS "-idirafter${LibClang_INCLUDE_DIR}")
endif()
