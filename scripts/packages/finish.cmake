# Run by cpack when all parts lie ready: what Debian has otherwise than an installation by hand.
cmake_minimum_required(VERSION 3.22)
set(debian ${CPACK_LK_SOURCE}/scripts/packages/debian)
set(top ${CPACK_TEMPORARY_DIRECTORY})
# Else what is installed below would be put under it once more.
set(ENV{DESTDIR} "")

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Its page and completion for each command that has a link in bin.
file(GLOB names RELATIVE ${top}/compat/usr/bin ${top}/compat/usr/bin/*)
file(MAKE_DIRECTORY ${top}/compat/usr/share/man/man1
  ${top}/compat/usr/share/bash-completion/completions)
foreach(name ${names})
  file(CREATE_LINK ../../../libexec/lockstep/share/man/man1/${name}.1.gz
    ${top}/compat/usr/share/man/man1/${name}.1.gz SYMBOLIC)
  file(CREATE_LINK lockstep ${top}/compat/usr/share/bash-completion/completions/${name} SYMBOLIC)
endforeach()

# Pages are compressed, zsh looks elsewhere.
foreach(part ${CPACK_COMPONENTS_ALL})
  file(GLOB pages ${top}/${part}/usr/share/man/man*/*.[1-8]
    ${top}/${part}/usr/libexec/lockstep/share/man/man*/*.[1-8])
  foreach(page ${pages})
    compress(${page})
  endforeach()
endforeach()
file(RENAME ${top}/sim/usr/share/zsh/site-functions ${top}/sim/usr/share/zsh/vendor-completions)

# Options of the daemons, to be edited.
foreach(pair controller:lockstepd agent:lockstep-agent)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 part)
  list(GET pair 1 daemon)
  file(INSTALL ${debian}/${daemon}.env DESTINATION ${top}/${part}/etc/lockstep)
endforeach()

# Who may do what with it, and what has changed.
foreach(part ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${part} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${top}/${part}/usr/share/doc/${package})
  file(INSTALL ${debian}/copyright DESTINATION ${doc})
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE ${doc}/changelog.Debian "lockstep (${version}) unstable; urgency=medium\n\n"
    "  * See changelog.gz.\n\n -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${CPACK_LK_DATE}\n")
  file(STRINGS ${debian}/lintian-overrides overrides REGEX "^(${package}|ALL): ")
  list(TRANSFORM overrides REPLACE "^ALL:" "${package}:")
  list(JOIN overrides "\n" overrides)
  file(WRITE ${top}/${part}/usr/share/lintian/overrides/${package} "${overrides}\n")
  file(READ ${CPACK_LK_SOURCE}/CHANGELOG.md changes)
  file(WRITE ${doc}/changelog "${changes}")
  compress(${doc}/changelog)
  compress(${doc}/changelog.Debian)
endforeach()
file(INSTALL ${CPACK_LK_SOURCE}/docs/plugin-example DESTINATION
  ${top}/dev/usr/share/doc/liblockstep-dev/examples)
