# sluice_plant(LIST) replaces the sources of the pure core in a list by copies in which
# tests/mutation/plant.py has planted mutants. Every file has a thousand numbers of its own, so that
# a change in one leaves the others as they were built. Beside each copy lies a table of its mutants.
set(SLUICE_MUTATED "src/((engine|controller|runtime)/[^/]+|api/[^/]+/(compile|decide))\\.cpp$")

function(sluice_plant list)
  set(plant ${CMAKE_SOURCE_DIR}/tests/mutation/plant.py)
  foreach(source IN LISTS ${list})
    if(source MATCHES ${SLUICE_MUTATED})
      get_property(count GLOBAL PROPERTY SLUICE_PLANTED)
      math(EXPR count "${count} + 1")
      set_property(GLOBAL PROPERTY SLUICE_PLANTED ${count})
      file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${source})
      set(copy ${CMAKE_BINARY_DIR}/planted/${name})
      add_custom_command(
        OUTPUT ${copy} ${copy}.json
        COMMAND /usr/bin/python3 -B ${plant} ${source} ${copy} ${count}000
        DEPENDS ${source} ${plant}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        COMMENT "Planting mutants in ${name}"
        VERBATIM)
      # Twice the branches at -O2 take twice the time, and a mutant is allowed to be silly.
      set_source_files_properties(${copy} PROPERTIES
        COMPILE_OPTIONS "-O1;-w;-Wno-c++11-narrowing;-I${CMAKE_SOURCE_DIR}")
      list(TRANSFORM ${list} REPLACE "^${source}$" ${copy})
    endif()
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()
