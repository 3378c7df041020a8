/** Updates test files: what calls gave replaces the expectations that do not hold. */

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

/** The files that change, and the results with the failures that are left. */
export function updatesFor(results: readonly CaseResult[]) {
  const updates = new Map<TestFile, ValueUpdate[]>()
  const left = results.map((result): CaseResult => {
    const { answer, failures, tests, test } = result
    if (answer.kind === 'problem') return result
    const written = failures.flatMap(({ key }): ValueUpdate[] => {
      const read = key === null ? undefined : VALUES[key]
      const path = [...test.path, 'expect', key!]
      return read ? [{ path, value: read(answer), isUnordered: key === 'rows_unordered' }] : []
    })
    if (written.length > 0) updates.set(tests, [...(updates.get(tests) ?? []), ...written])
    return { ...result, failures: failures.filter(({ key }) => key === null || VALUES[key] === undefined) }
  })
  const files = [...updates].map(([{ file, text }, own]) => ({ file, text: updateText(text, own) }))
  return { files, results: left }
}
