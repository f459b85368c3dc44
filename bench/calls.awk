# Reads `objdump -d --no-show-raw-insn --demangle` of a linked program and prints every way in which the
# function FUNCTION (the part of its demangled name before the parenthesis) leaves itself other than by
# returning or by calling prelaunch::solve_overlap or prelaunch::solve_self_overlap, which decide the
# rare case of extents that cross. Exit: 0 none, 1 some, 2 no such function.

# "0000000000001234 <name>:"; gcc may keep a part of a function elsewhere, as "name [clone .cold]".
/^[0-9a-f]+ <.*>:$/ {
  inside = index($0, FUNCTION "(") > 0 && index($0, "{lambda") == 0
  found = found || inside
  next
}

inside && /\t(notrack |bnd )*(call|j[a-z]+)[ \t]/ {
  if (index($0, FUNCTION "(") > 0 && !/\tcall/) next  # a jump within the function
  if (/<prelaunch::solve_(self_)?overlap\(/) next
  print
  bad = 1
}

END {
  if (!found) {
    print "no function " FUNCTION
    exit 2
  }
  exit bad
}
