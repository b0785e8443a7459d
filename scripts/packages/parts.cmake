# The packages: what each is called, needs and is.
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# lk_package (PART NAME DEPENDS SUMMARY TEXT...)
function(lk_package part name depends summary)
  string(JOIN "\n" text ${ARGN})
  string(TOUPPER ${part} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()
lk_package(sim lockstep-sim ""
  "cluster scheduler simulator"
  "Replays logs of clusters under a policy, compares, tunes, explains why jobs"
  "wait, and tells what a change would do. The policy engine is the one that"
  "lockstep-controller runs.")
lk_package(client lockstep-client "lockstep-sim ${same}"
  "commands of a Lockstep cluster"
  "Commands with the names and options of Slurm's (sbatch, squeue, sinfo,"
  "scontrol and others) in a folder of their own, and lockstep up, which starts"
  "a cluster on this machine.")
lk_package(controller lockstep-controller "lockstep-client ${same}, adduser"
  "controller of a Lockstep cluster"
  "Decides where and when jobs run, and keeps the journal of a cluster. Reads"
  "slurm.conf.")
lk_package(agent lockstep-agent "lockstep-client ${same}"
  "node agent of a Lockstep cluster"
  "Begins and ends jobs on a node, as the controller says, and keeps them"
  "apart.")
lk_package(compat lockstep-slurm-compat "lockstep-client ${same}"
  "Lockstep under the names of Slurm's commands"
  "Links sbatch, squeue, sinfo and the other commands of lockstep-client in"
  "/usr/bin, for a machine that has no Slurm.")
lk_package(dev liblockstep-dev "libglib2.0-dev, libelf-dev"
  "scheduling engine of Lockstep, for programs and policy plugins"
  "The header that policy plugins are written to, and the deterministic policy"
  "engine as a static library.")

set(CPACK_DEBIAN_COMPAT_PACKAGE_CONFLICTS "slurm-client")
set(CPACK_DEBIAN_COMPAT_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# Opened by the steps that ask for it: srun --mpi=pmix.
set(CPACK_DEBIAN_AGENT_PACKAGE_SUGGESTS libpmix2)
foreach(part CONTROLLER AGENT)
  string(TOLOWER ${part} folder)
  set(CPACK_DEBIAN_${part}_PACKAGE_SECTION admin)
  set(CPACK_DEBIAN_${part}_PACKAGE_RECOMMENDS munge)
  set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA ${debian}/${folder}/postinst
    ${debian}/${folder}/prerm ${debian}/${folder}/postrm ${debian}/${folder}/conffiles)
  set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endforeach()
