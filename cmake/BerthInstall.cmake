# All that `cmake --install` installs, by GNUInstallDirs: programs, the plugin of kubectl, manual pages
# and completion. The pages and scripts are made by the programs themselves.

include(GNUInstallDirs)

set(texts ${CMAKE_BINARY_DIR}/texts)
file(MAKE_DIRECTORY ${texts})
set(made)

# berth_text(FILE COMMAND...): what a program prints, as a file of the target `texts`.
function(berth_text file program)
  add_custom_command(OUTPUT ${texts}/${file} COMMAND ${program} ${ARGN} > ${texts}/${file}
                     DEPENDS ${program} VERBATIM)
  set(made ${made} ${texts}/${file} PARENT_SCOPE)
endfunction()

berth_text(berth.1 berth man)
foreach(command why jobs queues plan simulate when fits reservations topology page config completion version)
  berth_text(berth-${command}.1 berth man ${command})
endforeach()
berth_text(berthd.8 berthd --manual)
foreach(shell bash zsh fish)
  berth_text(completion.${shell} berth completion ${shell})
endforeach()
add_custom_target(texts DEPENDS ${made})

install(TARGETS berth berthd RUNTIME)
# kubectl finds its plugin and the plugin's completion by these names.
install(CODE "file(CREATE_LINK berth \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/kubectl-berth SYMBOLIC)")
install(PROGRAMS ${CMAKE_SOURCE_DIR}/scripts/kubectl_complete-berth TYPE BIN)
# The texts are made when they are installed, so that a build of one program needs no other.
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target texts
                              COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${texts}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        FILES_MATCHING PATTERN "*.1")
install(FILES ${texts}/berthd.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES ${texts}/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME berth)
install(FILES ${texts}/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kubectl-berth)
install(FILES ${texts}/completion.zsh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _berth)
install(FILES ${texts}/completion.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME berth.fish)
