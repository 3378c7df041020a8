/** Compares what a call gave with what a test expects. */

import { plural } from '../terminal/plural.js'
import type { Answer, ProblemAnswer, ResultRow, RowsAnswer } from './answer.js'
import { diffNearest, diffRows, diffUnordered } from './diff-rows.js'
import { equalValues, hasMembers } from './files/equal-values.js'
import type { Expectation, ExpectedProblem } from './files/test-file.js'
import { firstUnsorted, sortKey } from './sort-order.js'
import { typedRows } from './typed-rows.js'

/** The member of `expect:` that does not hold. */
export type ExpectedKey = keyof Expectation

export interface Failure {
  /** Null where the call has failed as a whole. */
  readonly key: ExpectedKey | null
  readonly message: string
  /** An aligned table of rows, line by line; empty for failures without rows. */
  readonly lines: readonly string[]
}

/** Every expectation that does not hold. `other` is what the call of `same_as` gave. */
export function checkAnswer(expect: Expectation, answer: Answer, other: Answer | null): readonly Failure[] {
  if (expect.problem) return checkProblem(expect.problem, answer)
  if (answer.kind === 'problem') return [{ key: null, message: `the call failed: ${describe(answer)}`, lines: [] }]
  return [...checkRows(expect, answer), ...checkSame(expect, answer, other)]
}

function checkRows(expect: Expectation, answer: RowsAnswer): readonly Failure[] {
  const failures: Failure[] = []
  const fail = (key: ExpectedKey, message: string, lines: readonly string[] = []): void =>
    void failures.push({ key, message, lines })
  const { columns, isTruncated } = answer
  const names = columns.map(({ name }) => name)
  const withTypes = (rows: readonly ResultRow[]): readonly ResultRow[] => typedRows(rows, columns)
  const rows = withTypes(answer.rows)
  if (expect.columns && !equalValues(expect.columns, names)) {
    fail('columns', `expected ${listNames(expect.columns)}, found ${listNames(names)}`)
  }
  if (expect.count !== undefined && expect.count !== rows.length) {
    fail('count', `expected ${plural(expect.count, 'row')}, found ${plural(rows.length, 'row')}`)
  }
  const expected = expect.rows && withTypes(expect.rows)
  if (expected && !equalValues(expected, rows)) {
    fail('rows', difference(expected, rows), diffRows(expected, rows, names))
  }
  if (expect.rows_unordered) {
    const { missing, added } = findUnmatched(withTypes(expect.rows_unordered), rows)
    if (missing.length + added.length > 0) {
      fail('rows_unordered', difference(expect.rows_unordered, rows), diffUnordered(missing, added, names))
    }
  }
  const missingRows = withTypes(expect.contains ?? []).filter(wanted => !rows.some(row => hasMembers(wanted, row)))
  if (missingRows.length > 0) {
    const these = missingRows.length === 1 ? 'this' : 'these'
    const message =
      rows.length === 0
        ? `there are no rows ${these}`
        : `none of ${plural(rows.length, 'row')} matches ${these} (-); the nearest is marked (+)`
    fail('contains', message, diffNearest(missingRows, rows))
  }
  if (expect.ordered_by) {
    const keys = expect.ordered_by.map(sortKey)
    const index = firstUnsorted(answer.rows, columns, keys)
    const columnNames = keys.map(({ column }) => column)
    const pick = (row: ResultRow): ResultRow => Object.fromEntries(columnNames.map(name => [name, row[name]]))
    const lines = (): readonly string[] => diffUnordered([], [rows[index - 1]!, rows[index]!].map(pick), columnNames)
    if (index >= 0) fail('ordered_by', `row ${index + 1} should stand before row ${index}`, lines())
  }
  if (expect.truncated !== undefined && expect.truncated !== isTruncated) {
    const found = isTruncated ? 'max_rows has cut the result' : 'max_rows has not cut the result'
    fail('truncated', `expected ${expect.truncated}, but ${found}`)
  }
  return failures
}

function checkSame(expect: Expectation, answer: RowsAnswer, other: Answer | null): readonly Failure[] {
  if (!expect.same_as || other === null) return []
  if (other.kind === 'problem') {
    return [{ key: 'same_as', message: `the other call failed: ${describe(other)}`, lines: [] }]
  }
  if (equalValues(other.rows, answer.rows)) return []
  const message = `the other call (-) has ${plural(other.rows.length, 'row')}, this one (+) ${plural(answer.rows.length, 'row')}`
  const names = answer.columns.map(({ name }) => name)
  return [{ key: 'same_as', message, lines: diffRows(other.rows, answer.rows, names) }]
}

function checkProblem(expected: ExpectedProblem, answer: Answer): readonly Failure[] {
  const fail = (message: string): readonly Failure[] => [{ key: 'problem', message, lines: [] }]
  if (answer.kind === 'rows') {
    return fail(
      `expected ${expected.code ?? expected.status ?? 'a problem'}, found ${plural(answer.rows.length, 'row')}`,
    )
  }
  const parameters = [...new Set(answer.errors.map(({ parameter }) => parameter))].sort()
  const mismatches = [
    ...(expected.status !== undefined && expected.status !== answer.status ? [`status ${expected.status}`] : []),
    ...(expected.code !== undefined && expected.code !== answer.code ? [expected.code] : []),
    ...(expected.parameters && !equalValues([...new Set(expected.parameters)].sort(), parameters)
      ? [`the parameters ${listNames(expected.parameters)}`]
      : []),
  ]
  return mismatches.length === 0 ? [] : fail(`expected ${mismatches.join(', ')}, found ${describe(answer)}`)
}

/** `400 ARGUMENT_INVALID: Some arguments are invalid: project: is required`, and the engine's message. */
function describe({ status, code, detail, errors, reason }: ProblemAnswer): string {
  const argumentTexts = errors.map(error => `${error.parameter}: ${error.detail}`)
  const all = [detail, ...argumentTexts, ...(reason === '' || reason === detail ? [] : [reason])]
  return `${status} ${code}: ${all.join('; ')}`
}

const difference = (expected: readonly ResultRow[], actual: readonly ResultRow[]): string =>
  `expected ${plural(expected.length, 'row')} (-), found ${plural(actual.length, 'row')} (+)`

/** The rows that have no equal on the other side, each row matched once. */
export function findUnmatched(expected: readonly ResultRow[], actual: readonly ResultRow[]) {
  const remaining = [...actual]
  const missing = expected.filter(row => {
    const index = remaining.findIndex(other => equalValues(row, other))
    if (index >= 0) remaining.splice(index, 1)
    return index < 0
  })
  return { missing, added: remaining as readonly ResultRow[] }
}

const listNames = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))
