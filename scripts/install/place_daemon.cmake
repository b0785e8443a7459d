# Run while the part `part` is installed, from the folder `source`, with `scratch` to write
# in: units that name where programs are, users and folders for systemd, links of the daemons in sbin.
set(controller_programs lockstepd lockstep-accounting)
set(controller_unit lockstepd)
set(agent_programs lockstep-agent)
set(agent_unit lockstep-agent)
set(unit ${${part}_unit})

file(READ ${source}/../systemd/${unit}.service text)
string(REPLACE "/usr/libexec/" "${CMAKE_INSTALL_PREFIX}/libexec/" text "${text}")
file(WRITE ${scratch}/${unit}.service "${text}")
file(INSTALL ${scratch}/${unit}.service DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
file(INSTALL ${source}/../systemd/tmpfiles.d/${unit}.conf
  DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/tmpfiles.d)
if(part STREQUAL "controller")
  file(INSTALL ${source}/../systemd/sysusers.d/lockstep.conf
    DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/sysusers.d)
endif()

set(sbin $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/sbin)
file(MAKE_DIRECTORY ${sbin})
foreach(program ${${part}_programs})
  file(CREATE_LINK ../libexec/lockstep/${program} ${sbin}/${program} SYMBOLIC)
endforeach()
