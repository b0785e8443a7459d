/* policies/elf_symbols.c — see elf_symbols.h.
 *
 * Mutable data is found by symbol when the file has its symbol table, which also gives the name
 * to complain about. In a stripped file only the sizes of the writable sections are left; what
 * gcc's and clang's start files put there is known (one pointer in .data, one byte in .bss) and
 * allowed. Sections that become read-only after relocation (relro) are not mutable data.
 *
 * Source: System V ABI, chapters 4 and 5; elf(5). */
#include "policies/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"

/* What the start files of a shared object leave in a writable section. */
#define CRT_DATA_BYTES 8u

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#elif defined(__riscv)
#define HOST_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define HOST_MACHINE EM_PPC64
#else
#error "this machine's ELF number is not known here"
#endif

static const char *const linker_exports[] = { "_init",       "_fini", "_edata", "_end",
                                              "__bss_start", "_fbss", "_ftext", NULL };

static const char *const runtime_imports[] = { "__cxa_finalize", "__gmon_start__",
                                               "_ITM_deregisterTMCloneTable",
                                               "_ITM_registerTMCloneTable", NULL };

static const char *const runtime_objects[] = { "completed.0",           "__dso_handle",
                                               "__TMC_END__",           "_DYNAMIC",
                                               "_GLOBAL_OFFSET_TABLE_", NULL };

static const char *const relro_sections[] = { ".data.rel.ro",
                                              ".data.rel.ro.local",
                                              ".init_array",
                                              ".fini_array",
                                              ".preinit_array",
                                              ".dynamic",
                                              ".got",
                                              ".got.plt",
                                              ".ctors",
                                              ".dtors",
                                              ".jcr",
                                              ".tm_clone_table",
                                              NULL };

static const char *const pure_symbols[] = {
  "abort",         "bsearch",       "calloc",
  "free",          "malloc",        "memchr",
  "memcmp",        "memcpy",        "memmem",
  "memmove",       "mempcpy",       "memrchr",
  "memset",        "qsort",         "realloc",
  "reallocarray",  "sqrt",          "stpcpy",
  "stpncpy",       "strcat",        "strchr",
  "strchrnul",     "strcmp",        "strcpy",
  "strcspn",       "strdup",        "strlen",
  "strncat",       "strncmp",       "strncpy",
  "strndup",       "strnlen",       "strpbrk",
  "strrchr",       "strspn",        "strstr",
  "__assert_fail", "__memcpy_chk",  "__memmove_chk",
  "__mempcpy_chk", "__memset_chk",  "__stack_chk_fail",
  "__stpcpy_chk",  "__strcat_chk",  "__strcpy_chk",
  "__strncat_chk", "__strncpy_chk", NULL,
};

gboolean
lk_symbol_is_pure (const char *name)
{
  return g_strv_contains (pure_symbols, name);
}

void
lk_elf_symbols_free (LkElfSymbols *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->exports);
  g_ptr_array_unref (self->imports);
  g_ptr_array_unref (self->writable);
  g_free (self->build_id);
  g_free (self);
}

gboolean
lk_elf_symbols_exports (const LkElfSymbols *self, const char *name)
{
  return g_ptr_array_find_with_equal_func (self->exports, name, g_str_equal, NULL);
}

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN, text);
  return FALSE;
}

/* ---------------------------------------------------------------- the file */

/* Reads with a bound, so that a device or an endless pipe is an error and not a hang. */
static GByteArray *
read_bounded (const char *path, GError **error)
{
  FILE *file = fopen (path, "rbe");
  if (file == NULL) {
    refuse (error, "it cannot be opened: %s", g_strerror (errno));
    return NULL;
  }
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 chunk[65536];
  gsize taken;
  while ((taken = fread (chunk, 1, sizeof chunk, file)) > 0) {
    g_byte_array_append (bytes, chunk, (guint)taken);
    if (bytes->len > LK_ELF_FILE_MAX_BYTES)
      break;
  }
  gboolean failed = ferror (file) != 0;
  int code = errno;
  fclose (file);
  if (failed) {
    refuse (error, "it cannot be read: %s", g_strerror (code));
    return NULL;
  }
  if (bytes->len > LK_ELF_FILE_MAX_BYTES) {
    refuse (error, "it is larger than %u bytes", LK_ELF_FILE_MAX_BYTES);
    return NULL;
  }
  return g_steal_pointer (&bytes);
}

static gboolean
check_kind (Elf *elf, GError **error)
{
  GElf_Ehdr header;
  if (elf == NULL || elf_kind (elf) != ELF_K_ELF || gelf_getehdr (elf, &header) == NULL)
    return refuse (error, "it is not an ELF file");
  if (gelf_getclass (elf) != ELFCLASS64)
    return refuse (error, "it is a 32-bit ELF file; expected a 64-bit one");
  if (header.e_machine != HOST_MACHINE)
    return refuse (error, "it is made for ELF machine %u; this machine is %u", header.e_machine,
                   (guint)HOST_MACHINE);
  if (header.e_type != ET_DYN)
    return refuse (error, "it is an ELF file of type %u; expected a shared object (type %u)",
                   header.e_type, (guint)ET_DYN);
  return TRUE;
}

/* ---------------------------------------------------------------- symbols */

static void
add_dynamic (LkElfSymbols *self, const GElf_Sym *symbol, const char *name)
{
  guint binding = GELF_ST_BIND (symbol->st_info);
  guint visibility = GELF_ST_VISIBILITY (symbol->st_other);
  if (binding == STB_LOCAL || name[0] == '\0')
    return;
  if (symbol->st_shndx == SHN_UNDEF) {
    if (!g_strv_contains (runtime_imports, name))
      g_ptr_array_add (self->imports, g_strdup (name));
    return;
  }
  gboolean is_visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
  if (is_visible && !g_strv_contains (linker_exports, name))
    g_ptr_array_add (self->exports, g_strdup (name));
}

static const char *
section_name (Elf *elf, const GElf_Shdr *header)
{
  size_t names_index;
  const char *name = NULL;
  if (elf_getshdrstrndx (elf, &names_index) == 0)
    name = elf_strptr (elf, names_index, header->sh_name);
  return name == NULL ? "" : name;
}

/* TRUE for a section that a policy could write to while it runs. */
static gboolean
is_mutable_section (Elf *elf, const GElf_Shdr *header)
{
  if ((header->sh_flags & SHF_WRITE) == 0 || (header->sh_flags & SHF_ALLOC) == 0)
    return FALSE;
  return !g_strv_contains (relro_sections, section_name (elf, header));
}

static void
add_writable_symbol (LkElfSymbols *self, Elf *elf, const GElf_Sym *symbol, const char *name)
{
  guint type = GELF_ST_TYPE (symbol->st_info);
  if ((type != STT_OBJECT && type != STT_TLS) || symbol->st_shndx == SHN_UNDEF)
    return;
  if (symbol->st_size == 0 || g_strv_contains (runtime_objects, name))
    return;
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn (elf, symbol->st_shndx);
  if (section == NULL || gelf_getshdr (section, &header) == NULL)
    return;
  if (is_mutable_section (elf, &header))
    g_ptr_array_add (self->writable,
                     g_strdup_printf ("'%s' (%" G_GUINT64_FORMAT " bytes in %s)", name,
                                      (guint64)symbol->st_size, section_name (elf, &header)));
}

/* Walks one symbol table: the dynamic one for what crosses the file's border, the full one for
 * its data. */
static void
read_symbols (LkElfSymbols *self, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata (section, NULL);
  if (data == NULL || header->sh_entsize == 0)
    return;
  guint64 count = MIN (header->sh_size / header->sh_entsize, G_MAXINT);
  for (guint64 i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym (data, (int)i, &symbol) == NULL)
      return;
    const char *name = elf_strptr (elf, header->sh_link, symbol.st_name);
    if (name == NULL)
      continue;
    if (header->sh_type == SHT_DYNSYM)
      add_dynamic (self, &symbol, name);
    else
      add_writable_symbol (self, elf, &symbol, name);
  }
}

/* Without a symbol table: more in a writable section than the start files put there. */
static void
add_writable_section (LkElfSymbols *self, Elf *elf, const GElf_Shdr *header)
{
  gboolean is_crt = header->sh_size <= CRT_DATA_BYTES;
  /* The byte in .bss needs no alignment; anything beside it nearly always does. */
  if (header->sh_type == SHT_NOBITS)
    is_crt = is_crt && header->sh_addralign <= 1;
  if ((header->sh_flags & SHF_TLS) != 0)
    is_crt = header->sh_size == 0;
  if (!is_crt)
    g_ptr_array_add (self->writable,
                     g_strdup_printf ("something of %" G_GUINT64_FORMAT " bytes in %s",
                                      (guint64)header->sh_size, section_name (elf, header)));
}

static void
read_build_id (LkElfSymbols *self, Elf_Scn *section)
{
  Elf_Data *data = elf_getdata (section, NULL);
  if (data == NULL || self->build_id != NULL)
    return;
  GElf_Nhdr note;
  size_t offset = 0, name_offset, bytes_offset;
  while ((offset = gelf_getnote (data, offset, &note, &name_offset, &bytes_offset)) > 0) {
    const guint8 *bytes = data->d_buf;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" || note.n_descsz == 0
        || memcmp (bytes + name_offset, "GNU", sizeof "GNU") != 0)
      continue;
    GString *text = g_string_new (NULL);
    for (guint i = 0; i < MIN (note.n_descsz, 64); i++)
      g_string_append_printf (text, "%02x", bytes[bytes_offset + i]);
    self->build_id = g_string_free (text, FALSE);
    return;
  }
}

static void
read_sections (LkElfSymbols *self, Elf *elf)
{
  gboolean has_symbol_table = FALSE;
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn (elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr (section, &header) == NULL)
      continue;
    if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
      read_symbols (self, elf, section, &header);
    has_symbol_table |= header.sh_type == SHT_SYMTAB;
    /* One entry is the start files' frame_dummy. */
    if (header.sh_type == SHT_INIT_ARRAY && header.sh_size > sizeof (void *))
      self->constructor_count = (guint)MIN (header.sh_size / sizeof (void *) - 1, G_MAXUINT);
    if (header.sh_type == SHT_NOTE)
      read_build_id (self, section);
  }
  if (has_symbol_table)
    return;
  while ((section = elf_nextscn (elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr (section, &header) != NULL && is_mutable_section (elf, &header))
      add_writable_section (self, elf, &header);
  }
}

LkElfSymbols *
lk_elf_symbols_read (const char *path, GError **error)
{
  g_autoptr (GByteArray) bytes = read_bounded (path, error);
  if (bytes == NULL)
    return NULL;
  if (elf_version (EV_CURRENT) == EV_NONE) {
    refuse (error, "libelf: %s", elf_errmsg (-1));
    return NULL;
  }
  Elf *elf = elf_memory ((char *)bytes->data, bytes->len);
  if (!check_kind (elf, error)) {
    elf_end (elf);
    return NULL;
  }
  LkElfSymbols *self = g_new0 (LkElfSymbols, 1);
  self->exports = g_ptr_array_new_with_free_func (g_free);
  self->imports = g_ptr_array_new_with_free_func (g_free);
  self->writable = g_ptr_array_new_with_free_func (g_free);
  read_sections (self, elf);
  elf_end (elf);
  if (self->build_id == NULL)
    self->build_id = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes->data, bytes->len);
  return self;
}
