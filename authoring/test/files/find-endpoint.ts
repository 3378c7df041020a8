/** Finds the endpoint that a test file is for, and the mistakes in the file that only a comparison with the endpoint shows. */

import { posix } from 'node:path'
import type { Loaded, LoadedEndpoint } from '../../../runner/manifest/load.js'
import { diagnosticAt } from '../../../runner/manifest/report.js'
import type { Diagnostic } from '../../../runner/model/diagnostic.js'
import { ERROR_CODES } from '../../../runner/model/error-codes.js'
import { didYouMean } from '../../../runner/model/suggest.js'
import { sortKey } from '../sort-order.js'
import { TEST_ENDING } from './load.js'
import type { TestCase, TestFile } from './test-file.js'

/** The manifest beside a test file, whether it is there or not: `a/b.test.yaml` → `a/b.yaml`. */
export const manifestOf = (testFile: string): string => `${testFile.slice(0, -TEST_ENDING.length)}.yaml`

/**
 * Finds the endpoint of the manifest beside the file, or else the endpoint with the file's name. Null where no endpoint fits, or where
 * the manifest has errors, which the load of the manifest reports.
 */
export function findEndpoint(tests: TestFile, { loadedEndpoints, files }: Pick<Loaded, 'loadedEndpoints' | 'files'>) {
  const manifest = posix.normalize(manifestOf(tests.file))
  const byFile = loadedEndpoints.find(({ file }) => posix.normalize(file) === manifest)
  const loadedEndpoint = byFile ?? loadedEndpoints.find(({ endpoint }) => endpoint.name === tests.subject) ?? null
  if (loadedEndpoint !== null)
    return { loadedEndpoint, diagnostics: tests.cases.flatMap(test => mistakesIn(test, tests, loadedEndpoint)) }
  if (files.some(file => posix.normalize(file) === manifest)) return { loadedEndpoint: null, diagnostics: [] }
  const names = loadedEndpoints.map(({ endpoint }) => endpoint.name)
  const message = `no manifest ${manifest} is loaded, and no endpoint has the name "${tests.subject}"`
  const place = { file: tests.file, line: 1, column: 1 }
  return {
    loadedEndpoint: null,
    diagnostics: [diagnosticAt(place, 'tests/unknown-endpoint', message, didYouMean(tests.subject, names))],
  }
}

function mistakesIn({ path, arguments: args, expect }: TestCase, { source }: TestFile, { endpoint }: LoadedEndpoint) {
  const diagnostics: Diagnostic[] = []
  const parameters = endpoint.parameters.map(({ name }) => name)
  const columns = endpoint.columns.map(({ name }) => name)
  const checkArguments = (names: object, path: readonly (string | number)[]): void => {
    for (const name of Object.keys(names).filter(parameter => !parameters.includes(parameter))) {
      const message = `${endpoint.name} has no parameter "${name}", so it ignores the argument`
      const more = { severity: 'warning', ...didYouMean(name, parameters) } as const
      diagnostics.push(diagnosticAt(source.keyAt([...path, name]), 'tests/unknown-argument', message, more))
    }
  }
  checkArguments(args, [...path, 'arguments'])
  if (expect.same_as) checkArguments(expect.same_as.arguments, [...path, 'expect', 'same_as', 'arguments'])
  for (const [i, { column }] of (expect.ordered_by ?? []).map(sortKey).entries()) {
    if (columns.includes(column)) continue
    const place = source.valueAt([...path, 'expect', 'ordered_by', i])
    const message = `${endpoint.name} has no column "${column}"`
    diagnostics.push(diagnosticAt(place, 'tests/unknown-column', message, didYouMean(column, columns)))
  }
  const code = expect.problem?.code
  if (code !== undefined && !Object.hasOwn(ERROR_CODES, code)) {
    const place = source.valueAt([...path, 'expect', 'problem', 'code'])
    const more = didYouMean(code, Object.keys(ERROR_CODES))
    diagnostics.push(diagnosticAt(place, 'tests/unknown-code', `no problem has the code "${code}"`, more))
  }
  return diagnostics
}
