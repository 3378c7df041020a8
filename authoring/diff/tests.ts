/** Compares the tests of an endpoint by their values: comments, order and style do not count. */

import { findUnmatched } from '../test/check-answer.js'
import { diffRows, diffUnordered } from '../test/diff-rows.js'
import { equalValues } from '../test/files/equal-values.js'
import type { Expectation, Row } from '../test/files/test-file.js'
import type { Report } from './change-rules.js'
import type { ComparedTest } from './read-sides.js'
import { show } from './show.js'

export function diffTests(base: readonly ComparedTest[], head: readonly ComparedTest[], report: Report): void {
  const after = new Map(head.map(test => [test.name, test]))
  const before = new Set(base.map(({ name }) => name))
  for (const test of base) {
    const other = after.get(test.name)
    if (other === undefined) report('tests/removed', `the test ${show(test.name)} is gone`)
    else diffTest(test, other, report)
  }
  for (const { name } of head) if (!before.has(name)) report('tests/added', `the test ${show(name)} is new`)
}

function diffTest(base: ComparedTest, head: ComparedTest, report: Report): void {
  const parts: string[] = []
  const lines: string[] = []
  if (!equalValues(base.arguments, head.arguments)) {
    parts.push(`its arguments are ${show(head.arguments)}; they were ${show(base.arguments)}`)
  }
  if (base.nowMicros !== head.nowMicros) parts.push('its time changed')
  for (const name of new Set([...Object.keys(base.tables), ...Object.keys(head.tables)])) {
    const [before, after] = [base.tables[name] ?? [], head.tables[name] ?? []]
    if (equalValues(before, after)) continue
    parts.push(`the rows of its table ${name} changed`)
    if (isRows(before) && isRows(after)) lines.push(`  ${name}`, ...diffRows(before, after, []))
  }
  for (const member of new Set([...keysOf(base.expect), ...keysOf(head.expect)])) {
    const [before, after]: unknown[] = [base.expect[member], head.expect[member]]
    if (equalValues(before, after)) continue
    if (isRows(before) && isRows(after)) {
      const difference = member === 'rows' ? diffRows(before, after, []) : unorderedDifference(before, after)
      if (difference.length === 0) continue
      parts.push(`expect.${member} changed`)
      lines.push(`  ${member}`, ...difference)
    } else parts.push(`expect.${member} is ${show(after)}; it was ${show(before)}`)
  }
  if (parts.length > 0) report('tests/changed', `the test ${show(base.name)}: ${parts.join('; ')}`, lines)
}

const keysOf = (expect: Expectation) => Object.keys(expect) as (keyof Expectation)[]

const isRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.every(row => typeof row === 'object' && row !== null)

function unorderedDifference(before: readonly Row[], after: readonly Row[]): readonly string[] {
  const { missing, added } = findUnmatched(before, after)
  return missing.length + added.length === 0 ? [] : diffUnordered(missing, added, [])
}
