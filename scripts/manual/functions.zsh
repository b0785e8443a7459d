
# A program of the cluster; one that does not answer does not hold up who types.
_lockstep_ask () {
  timeout 3 "$@" 2>/dev/null </dev/null
}

# Offers what may stand for a kind of value. Lists go on behind a comma.
_lockstep_offer () {
  local kind=${1%% *} rest= found
  local -a all
  [[ $1 == *' '* ]] && rest=${1#* }
  case $kind in
    files|'') _files; return ;;
    folders) _files -/; return ;;
    users) compset -P '*,'; _users; return ;;
    groups) compset -P '*,'; _groups; return ;;
    commands) _command_names -e; _files; return ;;
    words) all=(${=rest}) ;;
    jobs) all=(${${(f)"$(_lockstep_ask squeue -h -o %i)"}%%_\[*}) ;;
    nodes) all=(${(f)"$(_lockstep_ask sinfo -h -N -o %N)"}) ;;
    partitions) all=(${(f)"$(_lockstep_ask sinfo -h -o %R)"}) ;;
    features) all=(${(s:,:)${(j:,:)${(f)"$(_lockstep_ask sinfo -h -o %f)"}}}) ;;
    accounts) all=(${(f)"$(_lockstep_ask sacctmgr -nP list accounts format=account)"}) ;;
    qos) all=(${(f)"$(_lockstep_ask sacctmgr -nP list qos format=name)"}) ;;
    reservations) all=(${${${(M)${(f)"$(_lockstep_ask scontrol -o show reservation)"}:#ReservationName=*}#*=}%% *}) ;;
    licenses) all=(${${${(M)${(f)"$(_lockstep_ask scontrol -o show licenses)"}:#LicenseName=*}#*=}%% *}) ;;
    policies)
      found=$(_lockstep_ask lockstep policy list --seam $rest | sed '1d; s/^[^ ]* *//; s/ .*//')
      all=(${(f)found}) ;;
    clusters) all=(${${(f)"$(_lockstep_ask lockstep cluster presets | sed 1d)"}%% *}); _files ;;
    signals) all=(${signals[2,-3]}) ;;
    dependency)
      if compset -P '*:'; then
        all=(${${(f)"$(_lockstep_ask squeue -h -o %i)"}%%_\[*})
      else
        compadd -S '' after: afterany: afternotok: afterok: aftercorr:
        all=(singleton)
      fi ;;
  esac
  compset -P '*,'
  compadd -M 'm:{a-zA-Z}={A-Za-z}' -a all
}

# What stands where no option does, behind the words of a command.
_lockstep_operands () {
  local where=$1 next
  local -a rows
  while ((CURRENT > 1)); do
    next="$where ${words[1]}"
    [[ ${words[1]} == *=* ]] && next="$where ${(L)words[1]%%=*}="
    next=${_lockstep_alias[$next]:-$next}
    if [[ -n ${_lockstep_known[$next]} ]]; then
      _lockstep_run $next
      return
    fi
    [[ -n ${_lockstep_words[$next]}${_lockstep_kinds[$next]} ]] && where=$next
    shift words
    ((CURRENT--))
  done
  if [[ ${words[CURRENT]} == *=* ]]; then
    next=${(L)words[CURRENT]%%=*}
    compset -P '*='
    [[ -n ${_lockstep_keys[$next]} ]] && _lockstep_offer ${_lockstep_keys[$next]}
  elif [[ ${_lockstep_words[$where]}${_lockstep_kinds[$where]} == *= ]]; then
    rows=(${(f)_lockstep_words[$where]:-${=${_lockstep_kinds[$where]#words }}})
    compadd -S '' -M 'm:{a-zA-Z}={A-Za-z}' -a rows
  elif [[ -n ${_lockstep_words[$where]} ]]; then
    rows=(${(f)_lockstep_words[$where]})
    _describe word rows
  elif [[ -n ${_lockstep_kinds[$where]} ]]; then
    _lockstep_offer ${_lockstep_kinds[$where]}
  fi
}
