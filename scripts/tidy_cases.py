"""The cases of scripts/tidy --self-test: for each rule, trees on which it must and must not speak.

A case is a small tree, path -> text.  The rules about symbols and layout need a compiler or
clang-format: their cases are built in a temporary folder.
"""
import os
import shutil
import subprocess
import tempfile


def lines(count, text="  a += 1;\n"):
    return text * count


def function(body, head="void\nlk_f (int a)"):
    return head + "\n{\n" + body + "}\n"


# Markers are put together here so that this file does not hold one.
LATER = "TO" + "DO"

# rule: (good trees, bad trees)
TEXT_CASES = {
    "layout": (
        [{"engine/a.c": "", "README.md": ""}],
        [{"notes.txt": ""}, {"lib/a.c": ""}],
    ),
    "include-layers": (
        [{"engine/a.c": '#include "engine/a.h"\n', "engine/a.h": ""},
         {"policies/a.c": '#include "engine/policy.h"\n', "engine/policy.h": ""},
         {"policies/registry.c": '#include "engine/engine.h"\n', "engine/engine.h": ""},
         {"tests/a.c": '#include "sim/a.h"\n', "sim/a.h": ""},
         {"engine/a.c": '/* #include "sim/a.h" */\n'}],
        [{"engine/a.c": '#include "policies/a.h"\n', "policies/a.h": ""},
         {"policies/a.c": '#include "engine/engine.h"\n', "engine/engine.h": ""},
         {"traces/a.c": '#include "sim/a.h"\n', "sim/a.h": ""},
         {"sim/a.c": '#include "policies/easy.h"\n', "policies/easy.h": ""},
         {"sim/a.c": '#include "live/a.h"\n', "live/a.h": ""},
         {"live/a.c": '#include "sim/a.h"\n', "sim/a.h": ""},
         {"live/port/a.c": '#include "policies/registry.h"\n', "policies/registry.h": ""},
         {"bench/a.c": '#include "tests/a.h"\n', "tests/a.h": ""},
         {"engine/a.c": '#include "a.h"\n', "engine/a.h": ""},
         {"engine/a.c": '#  include "engine/gone.h"\n'}],
    ),
    "include-system": (
        [{"engine/a.c": "#include <string.h>\n"}, {"engine/assert.c": "#include <stdio.h>\n"},
         {"policies/registry.c": "#include <dlfcn.h>\n"}, {"sim/a.c": "#include <time.h>\n"}],
        [{"engine/a.c": "#include <stdio.h>\n"}, {"policies/a.c": "#include <math.h>\n"},
         {"engine/a.h": "#include <pthread.h>\n"}],
    ),
    "include-cycles": (
        [{"engine/a.h": '#include "engine/b.h"\n', "engine/b.h": ""}],
        [{"engine/a.h": '#include "engine/b.h"\n', "engine/b.h": '#include "engine/a.h"\n'},
         {"engine/a.h": '#include "engine/a.h"\n'}],
    ),
    "function-length": (
        [{"engine/a.c": function(lines(66))}],
        [{"engine/a.c": function(lines(67))},
         {"engine/a.c": function(lines(2)) + "\n" + function(lines(80))}],
    ),
    "nesting": (
        [{"engine/a.c": function("  if (a)\n    for (;;)\n      if (a)\n        while (a)\n"
                                 "          a += 1;\n")},
         {"engine/a.c": "#define X \\\n            if (a) \\\n              b\n"}],
        [{"engine/a.c": function("  if (a)\n    for (;;)\n      if (a)\n        while (a)\n"
                                 "          if (a)\n            a += 1;\n")},
         {"engine/a.c": function("          } else if (a) {\n")}],
    ),
    "parameters": (
        [{"engine/a.h": "int lk_f (int a, int b, int c, int d, int e, int f);\n"},
         {"engine/a.c": function("  lk_g (1, 2, 3, 4, 5, 6, 7);\n")},
         {"engine/a.h": "#define LK_X(a, b, c, d, e, f, g) ;\n"},
         {"engine/a.h": "int lk_f (int (*g) (int, int), int b, int c, int d, int e, int f);\n"}],
        [{"engine/a.h": "int lk_f (int a, int b, int c, int d, int e, int f, int g);\n"},
         {"engine/a.h": "const char *lk_f (int a, int b, int c, int d,\n  int e, int f, int g);\n"},
         {"engine/a.c": function("", "static int\nf (int a, int b, int c, int d, int e, int f, int g)")},
         {"engine/a.h": "struct A {\n  int (*f) (int a, int b, int c, int d, int e, int f, int g);\n};\n"}],
    ),
    "file-length": (
        [{"engine/a.c": lines(800)}, {"README.md": lines(900)}, {"engine/CMakeLists.txt": lines(60)}],
        [{"engine/a.c": lines(801)}, {"scripts/a": lines(801)}, {"engine/CMakeLists.txt": lines(61)}],
    ),
    "line-length": (
        [{"engine/a.c": "/" * 100 + "\n"}, {"README.md": "a" * 200 + "\n"}],
        [{"engine/a.c": "/" * 101 + "\n"}],
    ),
    "banned-calls": (
        [{"engine/a.c": "/* strcpy (a, b) */ my_strcpy (a, b); x.system (a); p->system (a);\n"},
         {"engine/a.c": 'puts ("system (x)");\n'}],
        [{"engine/a.c": "strcpy (a, b);\n"}, {"sim/a.c": "if (system(a))\n"},
         {"sim/a.c": 'argv = { "sh", "-c", a };\n'}, {"live/a.c": 'run ("/bin/sh");\n'},
         {"live/a.c": 'run ("exec sh -c x");\n'}],
    ),
    "simulated": (
        [{"live/a.c": "if (self->estimated)\n"}, {"live/a.c": "/* if (simulated) */\n"}],
        [{"live/a.c": "if (simulated)\n"}, {"live/a.c": "if (!self->is_simulated)\n"},
         {"live/a.c": "while (a && in_simulation)\n"}],
    ),
    "real-formats": (
        [{"engine/a.c": 'f ("%d %s 100%% for e");\n'}, {"sim/a.c": 'f ("%.3f");\n'},
         {"policies/registry.c": 'f ("%g");\n'}],
        [{"engine/a.c": 'f ("%.3f");\n'}, {"policies/a.c": 'f ("x %-10lg");\n'}],
    ),
    "markers": (
        [{"engine/a.c": f"/* {LATER} #12: more */\n"}, {"engine/a.c": f"/* {LATER} (#12) */\n"}],
        [{"engine/a.c": f"/* {LATER}: more */\n"}, {"scripts/a": f"# {LATER}\n"}],
    ),
    "units": (
        [{"engine/a.h": "struct A {\n  uint32_t size;\n  gint64 wait_us, run_max_us;\n};\n"},
         {"engine/a.h": "void lk_f (gint64 duration_us, gsize length_bytes);\n"},
         {"engine/a.h": "void lk_f (const Wait *wait, double wait_s, LkTime time);\n"},
         {"engine/a.c": "struct A {\n  int wait;\n};\n"}],
        [{"engine/a.h": "struct A {\n  gint64 wait;\n};\n"},
         {"engine/a.h": "typedef struct {\n  double mean_wait;\n} A;\n"},
         {"engine/a.h": "void lk_f (gint64 duration);\n"},
         {"engine/a.h": "void lk_f (int a, gsize block_size);\n"},
         {"engine/a.h": "struct A {\n  gint64 wait_us_max;\n};\n"}],
    ),
    "machine-paths": (
        [{"engine/a.c": "/usr/share/x /homes/x ./" "work/x $HOME/" "work/x /tmp/x\n"}],
        [{"README.md": "see /" + "home/me/x\n"}, {"scripts/a": "cd /" + "work/x\n"}],
    ),
    "white-space": (
        [{"engine/a.c": "a\n"}, {"Makefile": "\ta\n"}],
        [{"engine/a.c": "a \n"}, {"engine/a.c": "\ta\n"}, {"README.md": "a"}, {"engine/a.c": "a\r\n"}],
    ),
    "cmake-lists": (
        [{"engine/CMakeLists.txt": "target_link_libraries(a PUBLIC b) # file(GLOB x)\n"}],
        [{"engine/CMakeLists.txt": "file(GLOB x *.c)\n"},
         {"engine/CMakeLists.txt": "include_directories(x)\n"}],
    ),
    "clang-format": (
        [{"engine/a.c": "int a;\n"}],
        [{"engine/a.c": "int   a  ;\n"}],
    ),
}

PURE_C = """
#include <stdlib.h>
#include <string.h>
static const char *const names[] = { "a", "b" };
void *lk_f (unsigned n); void *lk_f (unsigned n)
{ void *a = malloc (n); if (a) memset (a, names[n & 1][0], n); return a; }
"""
# rule: (good sources of a pure library, bad ones)
SYMBOL_CASES = {
    "purity": (
        [PURE_C, "void lk_h (void); void lk_g (void); void lk_g (void) { lk_h (); }"],
        ["#include <time.h>\nlong lk_f (void); long lk_f (void) { return time (0); }",
         "#include <stdio.h>\nvoid lk_f (void); void lk_f (void) { puts (\"a\"); }",
         "#include <stdlib.h>\nint lk_f (void); int lk_f (void) { return getenv (\"A\") != 0; }",
         "#include <math.h>\ndouble lk_f (double a); double lk_f (double a) { return exp (a); }",
         "#include <errno.h>\nint lk_f (void); int lk_f (void) { return errno; }"],
    ),
    "mutable-state": (
        [PURE_C, "const int lk_a = 1;"],
        ["static int a; int lk_f (void); int lk_f (void) { return ++a; }",
         "int lk_a = 1;", "int lk_f (void); int lk_f (void) { static int a = 7; return a++; }",
         "static _Thread_local int a; int lk_f (void); int lk_f (void) { return ++a; }"],
    ),
    "symbol-names": (
        [PURE_C, "static int f (void) { return 1; } int lk_g (void); int lk_g (void) { return f (); }"],
        ["int f (void); int f (void) { return 1; }"],
    ),
    "gsl": (
        [PURE_C],
        ["double gsl_x (void); double lk_f (void); double lk_f (void) { return gsl_x (); }"],
    ),
}


def speaks(tidy, name, tree):
    """Does the rule find something?  None: it cannot be checked here."""
    try:
        return bool(list(tidy.RULES[name](tree)))
    except tidy.Finding:
        return True
    except tidy.Skipped:
        return None


def text_tree(tidy, name, files, folder):
    if name != "clang-format":
        return tidy.Tree(files)
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    shutil.copy(os.path.join(top, ".clang-format"), folder)
    for path, text in files.items():
        os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as handle:
            handle.write(text)
    return tidy.Tree(files, folder)


def symbol_tree(tidy, source, folder, cache=""):
    """A build folder whose engine library is made of one source."""
    os.makedirs(os.path.join(folder, "engine"))
    with open(os.path.join(folder, "CMakeCache.txt"), "w", encoding="utf-8") as handle:
        handle.write(cache)
    part = os.path.join(folder, "a.c.o")
    subprocess.run(["gcc", "-O1", "-fPIC", "-fno-math-errno", "-x", "c", "-", "-c", "-o", part],
                   input=source.encode(), check=True)
    subprocess.run(["ar", "rc", os.path.join(folder, "engine/liblk_engine.a"), part], check=True)
    return tidy.Tree({}, folder, folder)


def cases(tidy, folder):
    """(rule, what must be seen, what is seen, the case)"""
    number = 0
    for table, make in ((TEXT_CASES, text_tree), (SYMBOL_CASES, None)):
        for name, (good, bad) in table.items():
            for case, wanted in [(c, False) for c in good] + [(c, True) for c in bad]:
                number += 1
                place = os.path.join(folder, str(number))
                os.mkdir(place)
                tree = make(tidy, name, case, place) if make else symbol_tree(tidy, case, place)
                yield name, wanted, speaks(tidy, name, tree), case
    for cache, wanted in (("LK_SANITIZE:STRING=address\n", None), ("LK_SANITIZE:STRING=\n", False)):
        number += 1
        tree = symbol_tree(tidy, PURE_C, os.path.join(folder, str(number)), cache)
        yield "purity", wanted, speaks(tidy, "purity", tree), cache


def run(tidy):
    failed, skipped, count = 0, 0, 0
    untested = sorted(set(tidy.RULES) - set(TEXT_CASES) - set(SYMBOL_CASES))
    for name in untested:
        print(f"tidy: rule {name} has no cases")
    with tempfile.TemporaryDirectory() as folder:
        for name, wanted, seen, case in cases(tidy, folder):
            count += 1
            if seen is None and wanted is not None:
                skipped += 1
            elif seen != wanted:
                failed += 1
                print(f"tidy: rule {name} {'is silent' if wanted else 'speaks'} on {case!r}")
    print(f"tidy: {count} cases, {failed} failed, {skipped} skipped")
    return 1 if failed or untested else 0
