# Programs that are started for each job or command, and end soon: much of what they take is the
# loading of shared libraries.  So those have in them what there is as an archive of what pkg-config
# has found; libc stays shared, as it is what knows users.
option(LK_STATIC_START "Link libraries into programs that are started often" ON)

# A target with the property LK_STATIC_START gets the archive of an imported one, if that is there.
function(lk_may_be_static target)
  set(archives "")
  foreach(name ${ARGN})
    find_library(LK_ARCHIVE_${name} lib${name}.a)
    mark_as_advanced(LK_ARCHIVE_${name})
    if(NOT LK_ARCHIVE_${name})
      return()
    endif()
    list(APPEND archives ${LK_ARCHIVE_${name}})
  endforeach()
  get_target_property(shared ${target} INTERFACE_LINK_LIBRARIES)
  set(wanted "$<BOOL:$<TARGET_PROPERTY:LK_STATIC_START>>")
  set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES
    "$<IF:${wanted},${archives};Threads::Threads;m,${shared}>")
endfunction()

# They have no use for it, and it would bring a shared GLib beside theirs.
function(lk_is_not_for_static target)
  get_target_property(shared ${target} INTERFACE_LINK_LIBRARIES)
  set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:LK_STATIC_START>>>:${shared}>")
endfunction()

if(LK_STATIC_START AND NOT LK_SANITIZE)
  lk_may_be_static(PkgConfig::GLIB glib-2.0 pcre2-8)
  lk_is_not_for_static(PkgConfig::JSONGLIB)
  lk_may_be_static(PkgConfig::SQLITE sqlite3)
  lk_may_be_static(PkgConfig::YAML yaml)
  lk_may_be_static(PkgConfig::ZLIB z)
  lk_may_be_static(PkgConfig::ZSTD zstd)
  if(MUNGE_FOUND)
    lk_may_be_static(PkgConfig::MUNGE munge)
  endif()
endif()

function(lk_static_start target)
  set_target_properties(${target} PROPERTIES LK_STATIC_START ON)
  target_link_options(${target} PRIVATE -Wl,--as-needed)
endfunction()
