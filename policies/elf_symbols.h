/* policies/elf_symbols.h — what a shared object exports, imports and can write to, read without
 * loading it.
 *
 * For plugins: nothing of a file runs before it has been seen to be a policy. The file is not
 * trusted to be an ELF file; once it is one, it is trusted as much as any program that is about
 * to be run. */
#ifndef LK_POLICIES_ELF_SYMBOLS_H
#define LK_POLICIES_ELF_SYMBOLS_H

#include <glib.h>

#define LK_ELF_FILE_MAX_BYTES (64u << 20)

typedef struct {
  GPtrArray *exports;      /* dynamic names, defined and visible; the linker's own left out */
  GPtrArray *imports;      /* dynamic names, undefined; the C runtime's weak hooks left out */
  GPtrArray *writable;     /* "'counter' (4 bytes in .bss)" for each mutable object found */
  guint constructor_count; /* functions that run on loading, beyond the start files' own */
  char *build_id;          /* GNU build id in hexadecimal, else the SHA-256 of the file */
} LkElfSymbols;

/* Fails when the file cannot be read, is larger than LK_ELF_FILE_MAX_BYTES, or is not a 64-bit
 * shared object for this machine. Returns: (transfer full). */
LkElfSymbols *lk_elf_symbols_read (const char *path, GError **error);
void lk_elf_symbols_free (LkElfSymbols *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkElfSymbols, lk_elf_symbols_free)

gboolean lk_elf_symbols_exports (const LkElfSymbols *self, const char *name);

/* TRUE for the functions of the C library that a policy may call: their results depend on their
 * arguments only. */
gboolean lk_symbol_is_pure (const char *name);

#endif
