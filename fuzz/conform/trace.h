// What a target asks of the system, seen by strace: it may read what its engine and runtimes read,
// and change nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prelaunch::fuzz {

// The calls to trace, for strace's -e.
inline constexpr std::string_view kTraced =
    "trace=open,openat,openat2,creat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,"
    "link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat,mknod,mknodat,chdir,"
    "fchdir,socket,connect,bind,execve,execveat,fork,vfork,ptrace";

// The first line of a trace (strace -f -o FILE) that a target may not cause, as a sentence: a file
// opened for writing, a device, a socket, another program. The start of the program itself is not
// held against it.
std::optional<std::string> forbidden_call(std::string_view trace);

}  // namespace prelaunch::fuzz
