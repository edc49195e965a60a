# Warnings, hardening and sanitizers: the same for every target of the project.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  -fPIC -fstack-protector-strong -fno-omit-frame-pointer)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
add_link_options(-fuse-ld=mold -Wl,-z,relro,-z,now -Wl,--as-needed)

if(SLUICE_SANITIZE)
  add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
  add_compile_definitions(SLUICE_SANITIZED)
else()
  add_compile_options($<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  # What is inlined less is a quarter smaller, and so is what of it is resident.
  add_compile_options($<$<CONFIG:Release>:-mllvm=-inline-threshold=40>)
endif()

# Functions that nothing calls do not reach the binary, and of those that are the same, one does.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections $<$<CONFIG:Release>:-Wl,--icf=safe>)
