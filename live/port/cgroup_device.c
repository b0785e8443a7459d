/* live/port/cgroup_device.c — see the header.
 *
 * The program compares type, major and minor number with each device that is denied, and says 0 for
 * the first that fits, else 1. */
#include "live/port/cgroup_device.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void
emit (GArray *program, struct bpf_insn instruction)
{
  g_array_append_val (program, instruction);
}

/* register = word at this offset of the question */
#define LOAD_WORD(to, offset)                                                                      \
  ((struct bpf_insn){                                                                              \
      .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = (to), .src_reg = BPF_REG_1, .off = (offset) })
/* Unless they are equal, so many instructions further. */
#define SKIP_UNLESS(what, number, further)                                                         \
  ((struct bpf_insn){                                                                              \
      .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = (what), .off = (further), .imm = (number) })

static void
emit_answer (GArray *program, gint32 answer)
{
  emit (program, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = answer });
  emit (program, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

static void
emit_device (GArray *program, const struct stat *about)
{
  gint32 type = S_ISBLK (about->st_mode) ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR;
  emit (program, SKIP_UNLESS (BPF_REG_2, type, 4));
  emit (program, SKIP_UNLESS (BPF_REG_3, (gint32)major (about->st_rdev), 3));
  emit (program, SKIP_UNLESS (BPF_REG_4, (gint32)minor (about->st_rdev), 2));
  emit_answer (program, 0);
}

static GArray *
program_of (const GArray *denied)
{
  GArray *program = g_array_new (FALSE, FALSE, sizeof (struct bpf_insn));
  emit (program, LOAD_WORD (BPF_REG_2, G_STRUCT_OFFSET (struct bpf_cgroup_dev_ctx, access_type)));
  emit (program, (struct bpf_insn){
                     .code = BPF_ALU | BPF_AND | BPF_K, .dst_reg = BPF_REG_2, .imm = 0xffff });
  emit (program, LOAD_WORD (BPF_REG_3, G_STRUCT_OFFSET (struct bpf_cgroup_dev_ctx, major)));
  emit (program, LOAD_WORD (BPF_REG_4, G_STRUCT_OFFSET (struct bpf_cgroup_dev_ctx, minor)));
  for (guint i = 0; i < denied->len; i++)
    emit_device (program, &g_array_index (denied, struct stat, i));
  emit_answer (program, 1);
  return program;
}

static int
bpf (int command, union bpf_attr *attributes)
{
  return (int)syscall (SYS_bpf, command, attributes, sizeof *attributes);
}

static int
program_load (const GArray *program)
{
  static const char license[] = "GPL";
  union bpf_attr attributes;
  memset (&attributes, 0, sizeof attributes);
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insn_cnt = program->len;
  attributes.insns = (guintptr)program->data;
  attributes.license = (guintptr)license;
  return bpf (BPF_PROG_LOAD, &attributes);
}

gboolean
lk_cgroup_device_program (const char *group, const GArray *denied)
{
  g_autoptr (GArray) program = program_of (denied);
  union bpf_attr attributes;
  int loaded = program_load (program);
  int target = open (group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  memset (&attributes, 0, sizeof attributes);
  attributes.target_fd = (guint32)target;
  attributes.attach_bpf_fd = (guint32)loaded;
  attributes.attach_type = BPF_CGROUP_DEVICE;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  gboolean is_good = loaded >= 0 && target >= 0 && bpf (BPF_PROG_ATTACH, &attributes) == 0;
  if (loaded >= 0)
    close (loaded);
  if (target >= 0)
    close (target);
  return is_good;
}
