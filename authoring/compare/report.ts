/** What compare found, as text for people. */
import type { CallArguments } from '../../runner/serve/runner.js'
import { plural } from '../terminal/plural.js'
import type { Difference } from './results.js'

/** A call that both engines run. */
export interface Call {
  readonly endpoint: string
  readonly arguments: CallArguments
}

/** A call with its outcome; `rows` is the number of rows that the embedded engine gave. */
export interface ComparedCall extends Call {
  readonly rows: number
  readonly differences: readonly Difference[]
}

/** One line for a call; below it a line for each difference. */
export function comparedText({ endpoint, arguments: args, rows, differences }: ComparedCall): string {
  const texts = Object.entries(args).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map(item => `${name}=${item}`),
  )
  const head = [endpoint, ...texts].join(' ')
  if (differences.length === 0) return `same       ${head}: ${plural(rows, 'row')}\n`
  return `different  ${head}\n${differences.map(difference => `  ${differenceText(difference)}\n`).join('')}`
}

function differenceText(difference: Difference): string {
  const sides = `duckdb ${shorten(difference.duckdb)}, bigquery ${shorten(difference.bigquery)}`
  if (difference.kind === 'value') return `row ${difference.row}, ${difference.column}: ${sides}`
  if (difference.kind === 'order') return `the same rows in another order, from row ${difference.row} on: ${sides}`
  return `${HEADINGS[difference.kind]}: ${sides}`
}

const HEADINGS = { failure: 'failed', columns: 'columns', 'row-count': 'count', cut: 'rows', bytes: 'bytes' } as const

const MAX_SHOWN = 300
const shorten = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** How many calls there were, how many differ, and the time to pass to `--now` to repeat them. */
export function summaryText(compared: readonly ComparedCall[], now: string): string {
  const different = compared.filter(({ differences }) => differences.length > 0).length
  return `${plural(compared.length, 'call')} at ${now}: ${different === 0 ? 'no differences' : `${different} different`}\n`
}
