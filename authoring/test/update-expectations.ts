/** Updates test files: the results of calls replace the expectations that do not hold. */

import type { RowsAnswer } from './answer.js'
import type { ExpectedKey } from './check-answer.js'
import type { TestFile } from './files/test-file.js'
import { updateText, type ValueUpdate } from './files/update-text.js'
import type { CaseResult } from './run-case.js'

/** The new value of each expectation that can be updated, from a result. */
const VALUES: Partial<Record<ExpectedKey, (answer: RowsAnswer) => unknown>> = {
  rows: ({ rows }) => rows,
  rows_unordered: ({ rows }) => rows,
  count: ({ rows }) => rows.length,
  columns: ({ columns }) => columns.map(({ name }) => name),
  truncated: ({ isTruncated }) => isTruncated,
}

/** The files that change, and the results with the failures that remain. */
export function updatesFor(results: readonly CaseResult[]) {
  const updates = new Map<TestFile, ValueUpdate[]>()
  const remaining = results.map((result): CaseResult => {
    const { answer, failures, tests, test } = result
    if (answer.kind === 'problem') return result
    const caseUpdates = failures.flatMap(({ key }): ValueUpdate[] => {
      const readValue = key === null ? undefined : VALUES[key]
      const path = [...test.path, 'expect', key!]
      return readValue ? [{ path, value: readValue(answer), isUnordered: key === 'rows_unordered' }] : []
    })
    if (caseUpdates.length > 0) updates.set(tests, [...(updates.get(tests) ?? []), ...caseUpdates])
    return { ...result, failures: failures.filter(({ key }) => key === null || VALUES[key] === undefined) }
  })
  const files = [...updates].map(([{ file, text }, fileUpdates]) => ({ file, text: updateText(text, fileUpdates) }))
  return { files, results: remaining }
}
