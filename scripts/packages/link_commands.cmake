# Run while the part `compat` is installed: a link in bin for each command in the folder `commands`.
file(GLOB names RELATIVE ${commands} ${commands}/*)
set(bin $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin)
file(MAKE_DIRECTORY ${bin})
foreach(name ${names})
  file(CREATE_LINK ../libexec/lockstep/lockstep-client ${bin}/${name} SYMBOLIC)
endforeach()
