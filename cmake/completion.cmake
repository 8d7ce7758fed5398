# lpot_install_completion(FOLDER arguments of install...): installs the completion scripts of bash, zsh and fish below
# FOLDER, where these shells look for them. The built program prints them, so they always match its options.
function(lpot_install_completion FOLDER)
  install(CODE "
    foreach(ENTRY bash=bash-completion/completions/lpot zsh=zsh/site-functions/_lpot fish=fish/vendor_completions.d/lpot.fish)
      string(REGEX MATCH \"^(.*)=(.*)/(.*)$\" PARSED \${ENTRY})
      file(MAKE_DIRECTORY \"${FOLDER}/\${CMAKE_MATCH_2}\")
      set(SCRIPT \"${FOLDER}/\${CMAKE_MATCH_2}/\${CMAKE_MATCH_3}\")
      execute_process(COMMAND \"$<TARGET_FILE:lpot>\" completion \${CMAKE_MATCH_1} OUTPUT_FILE \"\${SCRIPT}\" COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Installing: \${SCRIPT}\")
    endforeach()" ${ARGN})
endfunction()
