# cmake --install BUILD --prefix DIR, and the Debian package: cpack in the build folder.
include(GNUInstallDirs)
set(programs touchstone-cli)
if(TS_WORKBENCH)
  list(APPEND programs touchstone)
endif()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY datasets/battery datasets/scenes datasets/thumbnails datasets/meshes datasets/studies
  DESTINATION ${CMAKE_INSTALL_DATADIR}/touchstone/datasets
  PATTERN "*.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY datasets/adapters
  DESTINATION ${CMAKE_INSTALL_DATADIR}/touchstone/datasets
  PATTERN "__pycache__" EXCLUDE)
install(FILES datasets/scene.schema.json datasets/study.schema.json datasets/card.schema.json
  datasets/published.json datasets/claims.json datasets/claim-results.json datasets/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/touchstone/datasets)
install(FILES app/install/touchstone.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES app/install/touchstone.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES app/install/touchstone.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md BENCHMARKS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

find_program(GZIP gzip)
foreach(page touchstone.1 touchstone-cli.1)
  configure_file(app/install/${page}.in ${PROJECT_BINARY_DIR}/man/${page} @ONLY)
  if(GZIP)
    execute_process(COMMAND ${GZIP} -9nkf ${PROJECT_BINARY_DIR}/man/${page})
    set(page ${page}.gz)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/man/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME touchstone)
set(CPACK_PACKAGE_CONTACT "The Touchstone developers <developers@touchstone.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compare contact methods of rigid-body simulation side by side")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Runs one scene in lockstep under penalty methods (DPF, CPF), the standard
complementarity model (LCP) and polytopal exact geometry (PEG), measures all
with the same ruler, and shows penetrations, forces, residuals and
convergence. Records, replays and exports plots, data and movies.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ffmpeg, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
