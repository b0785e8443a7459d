/* live/client/json/shapes.c — see the header. */
#include "live/client/json/shapes.h"

#include <stddef.h>
#include <string.h>

/* ---------------------------------------------------------------- as data_parser has them */

const char lk_shape_job[] =
    "{account:s accrue_time:n admin_comment:s allocating_node:s array_job_id:n array_task_id:n "
    "array_max_tasks:n array_task_string:s association_id:i batch_features:s batch_flag:b "
    "batch_host:s flags:E burst_buffer:s burst_buffer_state:s cluster:s cluster_features:s "
    "command:s comment:s container:s container_id:s container_type@45:s contiguous:b core_spec:i "
    "thread_spec:i cores_per_socket:n billable_tres:f cpus_per_task:n cpu_frequency_minimum:n "
    "cpu_frequency_maximum:n cpu_frequency_governor:n cpus_per_tres:s cron:s deadline:n "
    "delay_boot:n dependency:s derived_exit_code:$exit_code eligible_time:n end_time:n "
    "excluded_nodes:s exit_code:$exit_code extra:s failed_node:s features:s federation_origin:s "
    "federation_siblings_active:s federation_siblings_viable:s gres_detail:a group_id:i "
    "group_name:s het_job_id:n het_job_id_set:s het_job_offset:n job_id:i "
    "job_resources:{select_type:E nodes:{count:i select_type:E list:s whole:b "
    "allocation:[{index:i name:s cpus:{count:i used:i} memory:{used:i allocated:i} "
    "sockets:[{index:i cores:[{index:i status:E}]}]}]} cpus:i threads_per_core:n}? job_size_str:a "
    "job_state:E last_sched_evaluation:n licenses:s licenses_allocated@43:s mail_type:E "
    "mail_user:s max_cpus:n max_nodes:n mcs_label:s memory_per_tres:s memory_update_delay@45:i "
    "memory_update_margin@45:i name:s network:s nodes:s nice:i tasks_per_core:n tasks_per_tres:n "
    "tasks_per_node:n tasks_per_socket:n tasks_per_board:n cpus:n node_count:n tasks:n "
    "partition:s prefer:s memory_per_cpu:n memory_per_node:n minimum_cpus_per_node:n "
    "minimum_tmp_disk_per_node:n power@-44:{flags:a} preempt_time:n preemptable_time:n "
    "pre_sus_time:n hold:b priority:n priority_by_partition:[{partition:s priority:i}] profile:E "
    "qos:s reboot:b required_nodes:s required_switches:i requeue:b resize_time:n restart_cnt:i "
    "resv_name:s scheduled_nodes:s segment_size@43:i selinux_context:s shared:E "
    "step_id@44:{sluid:s job_id:n step_het_component:n step_id:s} sockets_per_board:i "
    "sockets_per_node:n start_time:n state_description:s state_reason:s standard_input:s "
    "standard_output:s standard_error:s stdin_expanded@43:s stdout_expanded@43:s "
    "stderr_expanded@43:s submit_time:n submit_line@44:s suspend_time:n system_comment:s "
    "time_limit:n time_minimum:n threads_per_core:n tres_bind:s tres_freq:s tres_per_job:s "
    "tres_per_node:s tres_per_socket:s tres_per_task:s tres_req_str:s tres_alloc_str:s user_id:i "
    "user_name:s maximum_switch_wait_time:i wckey:s current_working_directory:s}";

const char lk_shape_node[] =
    "{architecture:s burstbuffer_network_address:s boards:i boot_time:n "
    "tls_cert_last_renewal@43:n cert_flags@43:E cluster_name:s cores:i specialized_cores:i "
    "cpu_binding:i cpu_load:i free_mem:n cpus:i effective_cpus:i specialized_cpus:s "
    "energy:{average_watts:i base_consumed_energy:i consumed_energy:i current_watts:n "
    "previous_consumed_energy:i last_collected:i} external_sensors@-44:{} extra:s power@-44:{} "
    "features:a active_features:a gpu_spec:s gres:s gres_drained:s gres_used:s instance_id:s "
    "instance_type:s last_busy:n mcs_label:s specialized_memory:i name:s "
    "next_state_after_reboot:E address:s hostname:s state:E operating_system:s owner:s "
    "partitions:a port:i real_memory:i res_cores_per_gpu:i comment:s reason:s "
    "reason_changed_at:n reason_set_by_user:s resume_after:n reservation:s suspend_time@45:n "
    "alloc_memory:i alloc_cpus:i alloc_idle_cpus:i tres_used:s tres_weighted@-44:r "
    "slurmd_start_time:n sockets:i threads:i temporary_disk:i weight:i topology@43:s tres:s "
    "version:s}";

const char lk_shape_partition[] =
    "{nodes:{allowed_allocation:s configured:s total:i} accounts:{allowed:s deny:s} "
    "groups:{allowed:s} qos:{allowed:s deny:s assigned:s} alternate:s tres:{billing_weights:s "
    "configured:s} cluster:s select_type:E cpus:{task_binding@-44:i task_binding@45:E total:i} "
    "defaults:{memory_per_cpu:i partition_memory_per_cpu:n partition_memory_per_node:n time:n "
    "job:s} flags@45:E partition:{exclusive@45:s oversubscribe@45:s state:E} grace_time:i "
    "maximums:{cpus_per_node:n cpus_per_socket:n memory_per_cpu:i partition_memory_per_cpu:n "
    "partition_memory_per_node:n nodes:n shares:i oversubscribe:{jobs:i flags:E} time:n "
    "over_time_limit:n} minimums:{nodes:i} name:s node_sets:s preempt_mode@45:E "
    "priority:{job_factor:i tier:i} timeouts:{resume:n suspend:n} topology@43:s suspend_time:n}";

const char lk_shape_reservation[] =
    "{accounts:s burst_buffer:s core_count:i core_specializations:[{node:s core:s}] end_time:n "
    "features:s flags:E groups:s licenses:s max_start_delay:i name:s node_count:i node_list:s "
    "partition:s purge_completed:{time:n} start_time:n watts@-44:n tres:s users:s}";

const char lk_shape_license[] =
    "{LicenseName:s Total:i Used:i Free:i Remote:b Reserved:i LastConsumed:i LastDeficit:i "
    "LastUpdate:i Nodes@44:s}";

const char lk_shape_statistics[] =
    "{parts_packed@-44:i req_time:n req_time_start:n server_thread_count:i agent_queue_size:i "
    "agent_count:i agent_thread_count:i dbd_agent_queue_size:i gettimeofday_latency:i "
    "schedule_cycle_max:i schedule_cycle_last:i schedule_cycle_sum:i schedule_cycle_total:i "
    "schedule_cycle_mean:i schedule_cycle_mean_depth:i schedule_cycle_per_minute:i "
    "schedule_cycle_depth:i schedule_exit:{end_job_queue:i default_queue_depth:i "
    "max_job_start:i max_rpc_cnt:i max_sched_time:i licenses:i} schedule_queue_length:i "
    "jobs_submitted:i jobs_started:i jobs_completed:i jobs_canceled:i jobs_failed:i "
    "jobs_pending:i jobs_running:i job_states_ts:n bf_backfilled_jobs:i "
    "bf_last_backfilled_jobs:i bf_backfilled_het_jobs:i bf_cycle_counter:i bf_cycle_mean:i "
    "bf_depth_mean:i bf_depth_mean_try:i bf_cycle_sum:i bf_cycle_last:i bf_cycle_max:i "
    "bf_exit:{end_job_queue:i bf_max_job_start:i bf_max_job_test:i bf_max_time:i "
    "bf_node_space_size:i state_changed:i} bf_last_depth:i bf_last_depth_try:i bf_depth_sum:i "
    "bf_depth_try_sum:i bf_queue_len:i bf_queue_len_mean:i bf_queue_len_sum:i bf_table_size:i "
    "bf_table_size_sum:i bf_table_size_mean:i bf_when_last_cycle:n bf_active:b "
    "rpcs_by_message_type:[{type_id:i message_type:s count:i queued:i dropped:i cycle_last:i "
    "cycle_max:i total_time:i average_time:n}] rpcs_by_user:[{user_id:i user:s count:i "
    "total_time:i average_time:n}] pending_rpcs:[{type_id:i message_type:s count:i}] "
    "pending_rpcs_by_hostlist:[{type_id:i message_type:s count:a}]}";

const char lk_shape_ping[] =
    "{hostname:s pinged@-44:s responding:b latency:i mode@-44:s primary:b status@45:s}";

const char lk_shape_accounting_step[] =
    "{time:{elapsed:i end:n start:n suspended:i system:$cpu_time limit@43:n total:$cpu_time "
    "user:$cpu_time} exit_code:$exit_code nodes:{count:i range:s list:a} tasks:{count:i} "
    "pid@-44:s CPU:{requested_frequency:{min:n max:n} governor:s} kill_request_user:s state:E "
    "statistics:{CPU:{actual_frequency:i} energy:{consumed:n}} step:{id:s name:s stderr@43:s "
    "stdin@43:s stdout@43:s stderr_expanded@43:s stdin_expanded@43:s stdout_expanded@43:s} "
    "submit_line@45:s task:{distribution:s} tres:{requested:{max:[$tres] min:[$tres] "
    "average:[$tres] total:[$tres]} consumed:{max:[$tres] min:[$tres] average:[$tres] "
    "total:[$tres]} allocated:[$tres]}}";

const char lk_shape_accounting_job[] =
    "{account:s comment:{administrator:s job:s system:s} allocation_nodes:i array:{job_id:i "
    "limits:{max:{running:{tasks:i}}} task_id:n task:s} association:$association block:s "
    "cluster:s constraints:s container:s sluid@45:s derived_exit_code:$exit_code "
    "time:{elapsed:i eligible:i end:i planned:n start:i submission:i suspended:i "
    "system:$cpu_time limit:n total:$cpu_time user:$cpu_time} exclusive@45:s "
    "exit_code:$exit_code extra:s failed_node:s flags:E group:s het:{job_id:i job_offset:n} "
    "job_id:i name:s licenses:s mcs:{label:s} nodes:s oversubscribe@45:s partition:s hold:b "
    "priority:n qos:s qosreq:s required:{CPUs:i memory_per_cpu:n memory_per_node:n} "
    "kill_request_user:s restart_cnt:i reservation:{id:i name:s requested@43:s} script:s "
    "segment_size@43:i original_sluid@45:s stdin_expanded:s stdout_expanded:s stderr_expanded:s "
    "stdout:s stderr:s stdin:s state:{current:E reason:s} steps:[$accounting_step] "
    "submit_line:s tres:{allocated:[$tres] requested:[$tres]} used_gres:s user:s wckey:{wckey:s "
    "flags:E} working_directory:s}";

const char lk_shape_accounting_association[] =
    "{accounting:[{allocated:{seconds:i} id:i id_alt:i start:i TRES:$tres}] account:s cluster:s "
    "comment:s default:{qos:s} flags:E max:{jobs:{per:{count:n accruing:n submitted:n "
    "wall_clock:n} active:n accruing:n total:n} tres:{total:[$tres] group:{minutes:[$tres] "
    "active:[$tres]} minutes:{total:[$tres] per:{job:[$tres]}} per:{job:[$tres] node:[$tres]}} "
    "per:{account:{wall_clock:n}}} id:i is_default:b lineage:s min:{priority_threshold:n} "
    "parent_account:s partition:s priority:n qos:a shares_raw:i user:s}";

const char lk_shape_accounting_account[] =
    "{associations:[$association] coordinators:[{name:s direct:b}] description:s name:s "
    "organization:s flags:E}";

const char lk_shape_accounting_user[] =
    "{administrator_level:E associations:[$association] coordinators:[{name:s direct:b}] "
    "default:{qos@44:i account:s wckey:s} flags:E name:s old_name:s "
    "wckeys:[{accounting:[{allocated:{seconds:i} id:i id_alt:i start:i TRES:$tres}] cluster:s "
    "id:i name:s user:s flags:E}]}";

const char lk_shape_accounting_wckey[] =
    "{accounting:[{allocated:{seconds:i} id:i id_alt:i start:i TRES:$tres}] cluster:s id:i name:s "
    "user:s flags:E}";

const char lk_shape_accounting_qos[] =
    "{description:s flags:E id:i limits:{grace_time:i max:{active_jobs:{accruing:n count:n} "
    "jobs:{count:n active_jobs:{per:{account:n user:n}} per:{account:n user:n}} "
    "tres:{total:[$tres] minutes:{total:[$tres] per:{qos:[$tres] job:[$tres] account:[$tres] "
    "user:[$tres]}} per:{account:[$tres] job:[$tres] node:[$tres] user:[$tres]}} "
    "wall_clock:{per:{qos:n job:n}} accruing:{per:{account:n user:n}}} factor:f "
    "min:{priority_threshold:n tres:{per:{job:[$tres]}}}} name:s preempt:{list:a mode:E "
    "exempt_time:n} priority:n usage_factor:f usage_threshold:f}";

const char lk_shape_accounting_tres[] = "$tres";

const char lk_shape_accounting_cluster[] =
    "{controller:{host:s port:i} flags:E name:s nodes:s select_plugin@-44:s "
    "associations:{root:$association} rpc_version:i tres:[$tres]}";

const char lk_shape_meta[] =
    "{plugin:{type:s name:s data_parser:s accounting_storage:s} client:{source:s user:s "
    "group:s} command:a slurm:{version:{major:s micro:s minor:s} release:s cluster:s}}";

const char lk_shape_share[] =
    "{id:i cluster:s name:s parent:s partition:s shares_normalized:f shares:n "
    "tres:{run_seconds:[{name:s value:n}] group_minutes:[{name:s value:n}] usage:[{name:s "
    "value:r}]} effective_usage:f usage_normalized:f usage:i fairshare:{factor:f level:f} "
    "type:E}";

const char lk_shape_shares[] = "{shares:[$share] total_shares:i}";

const char lk_shape_sinfo[] =
    "{port:i node:{state:E} nodes:{allocated:i idle:i other:i total:i hostnames:a addresses:a "
    "nodes:a} cpus:{allocated:i idle:i other:i total:i minimum:i maximum:i load:{minimum:i "
    "maximum:i} per_node:{max:n}} sockets:{minimum:i maximum:i} cores:{minimum:i maximum:i} "
    "threads:{minimum:i maximum:i} disk:{minimum:i maximum:i} memory:{minimum:i maximum:i "
    "free:{minimum:n maximum:n} allocated:i} weight:{minimum:i maximum:i} features:{total:s "
    "active:s} gres:{total:s used:s} cluster:s comment:s extra:s reason@-44:{description:s "
    "time:i user:s} reason@45:{description:s time:i} reservation:s reason_set_by_user@45:s "
    "resource_spec:{cpus:s memory:i} partition:$partition}";

const char lk_shape_step[] =
    "{array:{job_id:i task_id:i} cluster:s container:s container_id:s container_type@45:s "
    "cpu:{frequency:{min:n max:n governor:n}} tres:{per:{cpu:s memory:s step:s node:s socket:s "
    "task:s} allocation:s binding:s frequency:s} name:s network:s nodes:s number_cpus:i "
    "number_tasks:i partition:s reserved_ports:s time:{running:n start:n limit:n} srun:{host:s "
    "pid:i} state:E sluid@45:s id:s stderr:s stdin:s stdout:s stdin_expanded:s "
    "stdout_expanded:s stderr_expanded:s submit_line:s task:{distribution:s} user:s}";

const char lk_shape_errors[] = "[{description:s error_number:i error:s source:s}]";

const char lk_shape_warnings[] = "[{description:s source:s}]";

const LkShapeName lk_shape_names[] = {
  { "exit_code", "{status:E return_code:n signal:{id:n name:s}}" },
  { "tres", "{type:s name:s id:i count:i}" },
  { "cpu_time", "{seconds:i microseconds:i}" },
  { "association", "{account:s cluster:s partition:s user:s id:i}" },
  { "partition", lk_shape_partition },
  { "share", lk_shape_share },
  { "accounting_step", lk_shape_accounting_step },
  { NULL, NULL },
};

const char *
lk_shape_named (const char *name)
{
  for (const LkShapeName *at = lk_shape_names; at->name != NULL; at++)
    if (strcmp (at->name, name) == 0)
      return at->text;
  return NULL;
}

/* ---------------------------------------------------------------- our own */

const char lk_shape_own_job[] =
    "{job_id:i array_job_id:i? array_task:i? array_tasks:s? het_leader_id:i? het_offset:i? "
    "name:s user:s user_id:i group:s group_id:i account:s qos:s partitions:a reservations:a "
    "comment:s? state:s is_completing:b is_stopped:b reason:s? why:s? dependency_left:s? "
    "priority:i? nice:i restart_count:i submit_us:i eligible_us:i? start_us:i? end_us:i? "
    "is_start_planned:b "
    "deadline_us:i? time_limit_s:i? time_min_s:i? wait_s:i run_s:i suspended_s:i exit_code:i? "
    "signal:i? node_count:i cpu_count:i task_count:i? cpus_per_task:i? memory_per_node_bytes:i? "
    "memory_per_cpu_bytes:i? asked_tres:s? held_tres:s? gres_per_node:s? gpus:s? licenses:s? "
    "constraint:s? node_list:s? planned_node_list:s? wanted_node_list:s? excluded_node_list:s? "
    "run_id:i? cores:s? devices:s? command:s? submit_line:s? work_dir:s? stdin_file:s? "
    "stdout_file:s? stderr_file:s? submit_host:s?}";

const char lk_shape_own_node[] =
    "{name:s state:s states:E is_responding:b is_planned:b is_reserved:b reason:s? "
    "reason_user:s? reason_us:i? partitions:a features:a architecture:s? socket_count:i "
    "core_count:i cpu_count:i cpu_usable_count:i cpu_allocated_count:i load:r? memory_bytes:i "
    "memory_allocated_bytes:i memory_free_bytes:i? tmp_bytes:i gres:s? gres_used:s? weight:i "
    "job_count:i}";

const char lk_shape_own_partition[] =
    "{name:s state:s is_default:b node_list:s node_count:i cpu_count:i priority_tier:i "
    "priority_job_factor:i time_default_s:i? time_max_s:i? nodes_min:i nodes_max:i? "
    "cpus_per_node_max:i? oversubscribe:s oversubscribe_job_count:i preempt_mode:s? grace_s:i "
    "qos:s? allow_accounts:a deny_accounts:a allow_groups:a allow_qos:a deny_qos:a}";

const char lk_shape_own_reservation[] =
    "{name:s start_us:i end_us:i is_active:b flags:E node_list:s node_count:i core_count:i "
    "cpu_count:i partition:s? features:s? licenses:s? users:a accounts:a groups:a qos:a}";

const char lk_shape_own_license[] = "{name:s total_count:i used_count:i free_count:i}";

const char lk_shape_own_accounting_job[] =
    "{job_id:i life:i array_job_id:i? array_task:i? array_tasks:s? het_leader_id:i? "
    "het_offset:i? name:s user:s user_id:i group:s group_id:i account:s qos:s partition:s "
    "reservation:s? wckey:s? comment:s? state:s reason:s? exit_code:i? signal:i? priority:i? "
    "restart_count:i submit_us:i eligible_us:i? start_us:i? end_us:i? time_limit_s:i? wait_s:i "
    "run_s:i suspended_s:i is_backfilled:b ended_by_user_id:i? asked_node_count:i "
    "asked_cpu_count:i asked_tres:s node_count:i? cpu_count:i? allocated_tres:s? node_list:s? "
    "run_id:i? cores:s? devices:s? constraint:s? licenses:s? user_cpu_s:r? system_cpu_s:r? "
    "max_rss_bytes:i? sum_rss_bytes:i? max_gpu_memory_bytes:i? max_gpu_percent:i? "
    "cpu_efficiency_percent:r? memory_efficiency_percent:r? work_dir:s? submit_line:s? "
    "submit_host:s?}";

const char lk_shape_own_step[] =
    "{id:s job_id:i step_id:i? run_id:i name:s user:s user_id:i partition:s state:s "
    "is_completing:b start_us:i run_s:i time_limit_s:i? task_count:i cpu_count:i node_count:i "
    "node_list:s tres:s? distribution:s user_cpu_s:r? system_cpu_s:r? rss_max_bytes:i? "
    "rss_sum_bytes:i? srun_host:s? srun_process:i? submit_line:s?}";

const char lk_shape_own_priority[] =
    "{job_id:i user:s account:s qos:s partition:s priority:i is_direct:b age_term:r "
    "association_term:r fairshare_term:r job_size_term:r partition_term:r qos_term:r "
    "tres_term:r tres_terms:s? nice:i site_factor:i}";

const char lk_shape_own_controller[] =
    "{now_us:i began_us:i counted_us:i term:i event_count:i digest:s agent_count:i pending_count:i "
    "running_count:i submit_count:i start_count:i backfill_count:i end_count:i "
    "completed_count:i cancelled_count:i failed_count:i pass_count:i pass_last_us:i "
    "pass_max_us:i pass_mean_us:i pass_sum_us:i queue_last_count:i unsent_count:i "
    "refused_count:i malformed_count:i order:s backfill:s select:s preempt:s?}";
