
# A program of the cluster: the one beside the command that is being completed, else that of PATH. One
# that does not answer does not hold up who types.
_lockstep_ask () {
  local program=$1 beside=${_lk_words[0]%/*}
  shift
  [[ ${_lk_words[0]} == */* && -x $beside/$program ]] && program=$beside/$program
  timeout 3 "$program" "$@" 2>/dev/null </dev/null
}

# What may stand for a kind of value, one a line.
_lockstep_candidates () {
  local kind=${1%% *} rest=
  [[ $1 == *' '* ]] && rest=${1#* }
  case $kind in
    words) printf '%s\n' $rest ;;
    jobs) _lockstep_ask squeue -h -o %i | sed 's/_\[.*//' ;;
    nodes) _lockstep_ask sinfo -h -N -o %N | sort -u ;;
    partitions) _lockstep_ask sinfo -h -o %R | sort -u ;;
    features) _lockstep_ask sinfo -h -o %f | tr ',' '\n' | grep -v '^(null)$' | sort -u ;;
    accounts) _lockstep_ask sacctmgr -nP list accounts format=account ;;
    qos) _lockstep_ask sacctmgr -nP list qos format=name ;;
    reservations) _lockstep_ask scontrol -o show reservation | sed -n 's/^ReservationName=\([^ ]*\).*/\1/p' ;;
    licenses) _lockstep_ask scontrol -o show licenses | sed -n 's/^LicenseName=\([^ ]*\).*/\1/p' ;;
    policies) _lockstep_ask lockstep policy list --seam "$rest" | sed -n '1!p' | while read -r _ name _; do echo "$name"; done ;;
    clusters) _lockstep_ask lockstep cluster presets | sed -n '1!s/ .*//p'; compgen -f -- "$2" ;;
    dependency)
      if [[ $2 == *:* ]]; then
        _lockstep_ask squeue -h -o %i | sed "s/_\[.*//; s/^/${2%:*}:/"
      else
        printf '%s\n' after: afterany: afternotok: afterok: aftercorr: singleton
      fi ;;
    users) compgen -u ;;
    groups) compgen -g ;;
    signals) compgen -A signal | sed -n 's/^SIG//p' ;;
    commands) compgen -c -- "$2"; compgen -f -- "$2" ;;
    files) compgen -f -- "$2" ;;
    folders) compgen -d -- "$2" ;;
  esac
}

# COMPREPLY: what begins as $2 does, of kind $1; $3 stands before it in the word. Lists go on behind
# a comma.
_lockstep_offer () {
  local given=$2 before=$3 line
  case ${1%% *} in
    files|folders|clusters|commands) compopt -o filenames 2>/dev/null ;;
    '') return ;;
    *) [[ $given == *,* ]] && before+=${given%,*}, && given=${given##*,} ;;
  esac
  while IFS= read -r line; do
    [[ ${line,,} == "${given,,}"* ]] && COMPREPLY+=("$before$line")
  done < <(_lockstep_candidates "$1" "$given")
}

# The words up to the cursor; "a=b" and "a:b", which bash takes apart, are one again.
_lockstep_line () {
  local i word joins=
  _lk_words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $i -gt 0 && ( -n $joins || $word =~ ^[=:]+$ ) ]]; then
      _lk_words[-1]+=$word
    else
      _lk_words+=("$word")
    fi
    joins=
    [[ $word =~ ^[=:]+$ ]] && joins=yes
  done
}

# The options of a path of words, or of what it begins with.
_lockstep_options_of () {
  local where=$1
  until [[ -n ${_lockstep_options[$where]+set} || $where != *' '* ]]; do
    where=${where% *}
  done
  _lk_command=$where
}

# The option of this word that has its value in the next one.
_lockstep_pending () {
  local word=$1 pair i
  _lk_pending=
  if [[ $word == --* ]]; then
    [[ " ${_lockstep_options[$_lk_command]} " == *" ${word#--}= "* ]] && _lk_pending=${word#--}
    return
  fi
  for ((i = 1; i < ${#word}; i++)); do
    for pair in ${_lockstep_letters[$_lk_command]}; do
      [[ $pair == "${word:i:1}:"* ]] || continue
      [[ " ${_lockstep_options[$_lk_command]} " == *" ${pair#*:}= "* ]] || continue
      ((i + 1 == ${#word})) && _lk_pending=${pair#*:}
      return
    done
  done
}

# Where the words before the cursor lead: _lk_where, the command whose options count, and an option
# whose value comes next.
_lockstep_walk () {
  local word key
  _lk_where=${_lk_words[0]##*/}
  _lk_pending=
  _lockstep_options_of "$_lk_where"
  for word in "${_lk_words[@]:1:${#_lk_words[@]}-2}"; do
    if [[ -n $_lk_pending ]]; then
      _lk_pending=
    elif [[ $word == -?* ]]; then
      _lockstep_pending "$word"
    elif [[ $word == *=* ]]; then
      key=${word%%=*}
      [[ -n ${_lockstep_words[$_lk_where ${key,,}=]} ]] && _lk_where+=" ${key,,}="
    elif [[ -n ${_lockstep_words[$_lk_where $word]} ||
      " ${_lockstep_words[$_lk_where]} " == *" $word "* ]]; then
      _lk_where+=" $word"
      _lk_where=${_lockstep_alias[$_lk_where]:-$_lk_where}
      _lockstep_options_of "$_lk_where"
    fi
  done
}

_lockstep_offer_options () {
  local option
  for option in ${_lockstep_options[$_lk_command]}; do
    [[ --${option%\?} == "$1"* ]] || continue
    [[ $option == *=\? ]] && option=${option%=\?}
    COMPREPLY+=("--$option")
  done
}

_lockstep () {
  local -a _lk_words
  local _lk_where _lk_command _lk_pending current key i
  COMPREPLY=()
  _lockstep_line
  _lockstep_walk
  current=${_lk_words[-1]}
  if [[ -n $_lk_pending ]]; then
    _lockstep_offer "${_lockstep_values[$_lk_command --$_lk_pending]}" "$current"
  elif [[ $current == --*=* ]]; then
    _lockstep_offer "${_lockstep_values[$_lk_command ${current%%=*}]}" "${current#*=}" "${current%%=*}="
  elif [[ $current == -* ]]; then
    _lockstep_offer_options "$current"
  elif [[ $current == *=* ]]; then
    key=${current%%=*}
    _lockstep_offer "${_lockstep_keys[${key,,}]}" "${current#*=}" "$key="
  elif [[ -n ${_lockstep_words[$_lk_where]} ]]; then
    _lockstep_offer "words ${_lockstep_words[$_lk_where]}" "$current"
  else
    _lockstep_offer "${_lockstep_operands[$_lk_where]}" "$current"
  fi
  # bash replaces only what stands behind the last of these.
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then
    for i in "${!COMPREPLY[@]}"; do
      COMPREPLY[i]=${COMPREPLY[i]#"${current%"${current##*[=:]}"}"}
    done
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
  return 0
}
