// Plants an op's seeded bugs into copies of its kernel's sources. Its list stands beside them, in
// faults.json, in the order in which it was written:
//
//   [{"name": "tail_mask_missing", "what": "lanes past the last draft compare too",
//     "file": "kernel.cu", "find": "j < v.n && v.candidates",
//     "put": "(FAULT || j < v.n) && v.candidates"}, ..]
//
// `find` stands exactly once in the file; in `put`, FAULT is true while the bug is active.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prelaunch::fuzz {

struct SourceFault {
  std::string name, what;
};

// Writes the sources of kernels/<op> that have bugs, and its kernel.cu, below `out`; gives the bugs
// in the order of their numbers. Throws FileError.
std::vector<SourceFault> plant_faults(const std::filesystem::path& root, const std::string& op,
                                      const std::filesystem::path& out);

}  // namespace prelaunch::fuzz
