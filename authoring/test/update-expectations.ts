/** Updates test files: what calls gave replaces the expectations that do not hold. */

import type { RowsAnswer } from './answer.js'
import type { ExpectedKey } from './check-answer.js'
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

/** The files that change, with the results of their tests that were updated: each with the failures that are left. */
export function updatesFor(results: readonly CaseResult[]) {
  const files = new Set(results.map(({ tests }) => tests))
  return [...files].flatMap(tests => {
    const updates: ValueUpdate[] = []
    const changed = new Map<CaseResult, CaseResult>()
    for (const result of results.filter(one => one.tests === tests)) {
      const { answer, failures, test } = result
      if (answer.kind === 'problem') continue
      const isWritten = (key: ExpectedKey | null): key is ExpectedKey => key !== null && VALUES[key] !== undefined
      for (const { key } of failures) {
        if (!isWritten(key)) continue
        const path = [...test.path, 'expect', key]
        updates.push({ path, value: VALUES[key]!(answer), isUnordered: key === 'rows_unordered' })
      }
      const left = failures.filter(({ key }) => !isWritten(key))
      if (left.length < failures.length) changed.set(result, { ...result, failures: left })
    }
    if (updates.length === 0) return []
    return [{ file: tests.file, text: updateText(tests.text, updates), changed }]
  })
}
