/** Compares the answers of the two engines to a query. */
import { type Type, typeName } from '../../googlesql/types/types.js'
import { areSameRows, isSameValue, type Tolerance } from '../oracle/compare.js'
import type { OurAnswer, TheirAnswer } from './answers.js'
import type { Question } from './render.js'

/**
 * - `agree`: the same rows; `fail`: both report an error
 * - `wrong`: different rows; `type`: different types or names of columns; `error`: an error where the reference returns rows
 * - `lenient`: rows where the reference refuses the query; `lazy`: rows where the reference fails while it runs the query,
 *   perhaps in a part that need not be evaluated
 * - `refused`: the embedded engine refuses the query by name; `unanswered`: the reference has no answer
 * - `timeout`, `bare` (an error without a message of its own), `internal`: must never happen
 */
export type Class =
  | 'agree'
  | 'fail'
  | 'wrong'
  | 'type'
  | 'error'
  | 'lenient'
  | 'lazy'
  | 'refused'
  | 'unanswered'
  | 'timeout'
  | 'bare'
  | 'internal'

export interface Verdict {
  readonly class: Class
  /** Distinguishes causes within the class: a message without its values; empty where there is no message. */
  readonly detail: string
  readonly expected: string
  readonly found: string
  /** The kind of the reference's answer. */
  readonly theirs: TheirAnswer['kind']
}

/** The classes that count as differences. */
export const DIFFERENCES: readonly Class[] = ['wrong', 'type', 'error', 'lenient', 'timeout', 'bare', 'internal']

const REFUSED =
  /not supported (by|on|in) the embedded engine|is not supported: |is not supported by the embedded|embedded engine/

export function judge(question: Question, ours: OurAnswer, theirs: TheirAnswer): Verdict {
  const expected =
    theirs.kind === 'rows'
      ? shown(
          theirs.rows,
          theirs.columns.map(({ type }) => typeName(type)),
        )
      : theirs.message
  const found =
    ours.kind === 'rows'
      ? shown(
          ours.rows,
          ours.columns.map(({ type }) => type),
        )
      : ours.kind === 'timeout'
        ? 'no answer in 5 s'
        : ours.message
  const verdict = (kind: Class, detail = ''): Verdict => ({ class: kind, detail, expected, found, theirs: theirs.kind })
  if (ours.kind === 'timeout') return verdict('timeout')
  if (ours.kind === 'error') {
    if (/^The query failed/.test(ours.message)) return verdict('bare')
    if (/^Internal error/.test(ours.message) || !ours.isFault) return verdict('internal', withoutValues(ours.message))
    if (REFUSED.test(ours.message)) return verdict('refused', withoutValues(ours.message))
    if (theirs.kind === 'none') return verdict('unanswered')
    return theirs.kind === 'error' ? verdict('fail') : verdict('error', withoutValues(ours.message))
  }
  if (theirs.kind === 'none') return verdict('unanswered', withoutValues(theirs.message))
  if (theirs.kind === 'error') {
    return verdict(/\[at \d+:\d+\]/.test(theirs.message) ? 'lenient' : 'lazy', withoutValues(theirs.message))
  }
  const types = ours.columns.map(({ type }) => type).join(', ')
  const expectedTypes = theirs.columns.map(({ type }) => typeName(type)).join(', ')
  if (types !== expectedTypes) return verdict('type', `${expectedTypes} / ${types}`)
  const misnamed = theirs.columns.findIndex(({ name }, i) => name !== '' && name !== ours.columns[i]!.name)
  if (misnamed >= 0) return verdict('type', 'name')
  const tolerance = question.isInexact ? INEXACT : undefined
  if (!areSameRows(ours.rows, theirs.rows, theirs.columns, false, tolerance)) return verdict('wrong')
  const isOrdered =
    !question.orderedBy || isSameOrder(ours.rows, theirs.rows, theirs.columns, question.orderedBy, tolerance)
  if (!isOrdered) return verdict('wrong', 'order')
  return verdict('agree')
}

/** Whether the columns of the ORDER BY, given by their indexes, have the same values row by row. */
function isSameOrder(
  actual: readonly (readonly unknown[])[],
  expected: readonly (readonly unknown[])[],
  columns: readonly { readonly type: Type }[],
  by: readonly number[],
  tolerance: Tolerance | undefined,
): boolean {
  return actual.every((row, r) =>
    by.every(i => !columns[i] || isSameValue(row[i], expected[r]![i], columns[i].type, tolerance)),
  )
}

const NUMBER = /-?\d+(\.\d+)?(e[+-]?\d+)?/gi

/**
 * The last digits of sums and of trigonometry depend on the library, also in texts and decimals that are computed from them.
 */
const INEXACT: Tolerance = {
  relative: 1e-9,
  absolute: 1e-9,
  isSameText: (actual, expected) => {
    if (actual === expected) return true
    if (actual.replace(NUMBER, '0') !== expected.replace(NUMBER, '0')) return false
    const others = expected.match(NUMBER) ?? []
    return (actual.match(NUMBER) ?? []).every((number, i) => isNear(Number(number), Number(others[i])))
  },
}
const isNear = (actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= INEXACT.relative * Math.max(1, Math.abs(expected))

const MAX_SHOWN = 600

const shown = (rows: readonly (readonly unknown[])[], types: readonly string[]): string => {
  const text = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))
      ? Object.is(value, -0)
        ? '-0.0'
        : String(value)
      : value,
  )
  return `${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text} ${types.join(', ')}`
}

/** The message without its values and places, so that messages with one cause are equal. */
function withoutValues(message: string): string {
  return message
    .replace(/ ?\[?at \[?\d+:\d+\]?\]?/g, '')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '…')
    .replace(/-?\d+(\.\d+)?(e[+-]?\d+)?/gi, '0')
    .replace(/\s+/g, ' ')
    .slice(0, 160)
}
