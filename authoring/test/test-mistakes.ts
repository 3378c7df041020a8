/** The mistakes in test files, for `validate`, which runs no test. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { Loaded } from '../../runner/manifest/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { contains } from '../check/path-filter.js'
import { findEndpoint, manifestOf } from './files/find-endpoint.js'
import { findTests, readTests, TEST_ENDING } from './files/load.js'

/** These paths, and the manifests of the test files among them: a test can be checked only against its endpoint. */
export const withManifests = (only: readonly string[]): readonly string[] => [
  ...new Set([...only, ...only.filter(path => path.endsWith(TEST_ENDING)).map(manifestOf)]),
]

/** The mistakes in the test files that `only` names, and in those below its folders or beside its manifests; empty means all. */
export async function testMistakes(
  endpointsDir: string,
  only: readonly string[],
  tables: TableCatalogue,
  loaded: Loaded,
): Promise<readonly Diagnostic[]> {
  const isWanted = (file: string): boolean =>
    only.length === 0 || only.some(path => contains(path, file) || contains(path, manifestOf(file)))
  const testFiles = await findTests([], endpointsDir)
  const fileMistakes = testFiles.diagnostics.filter(({ file }) => file.endsWith(TEST_ENDING) && isWanted(file))
  const mistakes = testFiles.files
    .filter(({ file }) => isWanted(file))
    .flatMap(file => {
      const { tests, diagnostics } = readTests(file, tables)
      const isLoaded = only.length === 0 || loaded.files.includes(manifestOf(file.file))
      return tests === null || !isLoaded ? diagnostics : [...diagnostics, ...findEndpoint(tests, loaded).diagnostics]
    })
  return [...fileMistakes, ...mistakes]
}
