/** Functions that exist with OVER only, in DuckDB SQL. */
import type { Expr } from '../../../../googlesql/resolved.js'
import { type AggregateForm, type AggregateFormCall, type AggregateForms, FormError } from '../forms.js'

const windowed = (call: AggregateFormCall, name: string, args: string): string => `${name}(${args})${call.over}`

const rank =
  (name: string): AggregateForm =>
  call =>
    windowed(call, name, '')

const nullsOf = (call: AggregateFormCall): string => (call.call.ignoresNulls ? ' IGNORE NULLS' : '')

const inFrame =
  (name: string): AggregateForm =>
  call =>
    windowed(call, name, `${call.sql[0]}${nullsOf(call)}`)

const shift =
  (name: string): AggregateForm =>
  call => {
    const [x, offset, fallback] = call.sql
    if (offset === null || offset === undefined) return windowed(call, name, x!)
    const checked = isPlainNumber(call.args[1]) ? offset : `bq_window_offset('${name.toUpperCase()}', ${offset})`
    return windowed(call, name, [x, checked, ...(fallback ? [fallback] : [])].join(', '))
  }

const isPlainNumber = (expr: Expr | null | undefined): boolean =>
  expr?.kind === 'literal' && expr.value !== null && !String(expr.value).startsWith('-')

/** All values of the window, NULLs only where they are respected. */
function valuesOf(call: AggregateFormCall): string {
  const x = call.sql[0]!
  const filter = call.call.ignoresNulls ? ` FILTER (WHERE ${x} IS NOT NULL)` : ''
  return `list(${x})${filter}${call.over}`
}

/** The percentile, when it is a literal and NULLs are ignored: DuckDB's own quantiles keep no list for each row then. */
function literalPercentile(call: AggregateFormCall): number | null {
  const given = call.args[1]?.kind === 'cast' ? call.args[1].operand : call.args[1]
  return call.call.ignoresNulls && given?.kind === 'literal' ? Number(given.value) : null
}

/** NaN is the smallest value, as for BigQuery: in descending order of `-x` DuckDB puts it first too. */
function floatQuantile(call: AggregateFormCall, name: string, p: number): string {
  const x = call.sql[0]!
  if (p === 0) return `bq_min_float64(${windowed(call, 'min', x)}, ${windowed(call, 'max', x)})`
  return `(-${windowed(call, name, `-${x}, -${p}::DOUBLE`)})`
}

const percentileCont: AggregateForm = call => {
  const literal = literalPercentile(call)
  const p = `bq_percentile('PERCENTILE_CONT', ${call.sql[1]})`
  switch (call.type.kind) {
    case 'FLOAT64':
      if (literal !== null) return floatQuantile(call, 'quantile_cont', literal)
      return `bq_percentile_cont(bq_sorted_floats(${valuesOf(call)}), ${p})`
    case 'NUMERIC': {
      const sorted = `CAST(list_sort(${valuesOf(call)}, 'ASC', 'NULLS FIRST') AS VARCHAR[])`
      return `CAST(bq_numeric_percentile(${sorted}, CAST(${p} AS VARCHAR)) AS DECIMAL(38,9))`
    }
    default:
      throw new FormError(`PERCENTILE_CONT of ${call.type.kind} is not supported by the embedded engine`)
  }
}

/** A hair less, so that the product with the number of rows, which is not exact, never gets past the row that it means. */
const A_HAIR_LESS = 1 - 1e-12

const percentileDisc: AggregateForm = call => {
  const isFloat = call.type.kind === 'FLOAT64'
  const literal = literalPercentile(call)
  if (literal !== null) {
    const p = literal === 1 ? 1 : literal * A_HAIR_LESS
    if (isFloat) return floatQuantile(call, 'quantile_disc', p)
    return windowed(call, 'quantile_disc', `${call.sql[0]}, ${p}::DOUBLE`)
  }
  const values = valuesOf(call)
  const sorted = isFloat ? `bq_sorted_floats(${values})` : `list_sort(${values}, 'ASC', 'NULLS FIRST')`
  return `bq_percentile_disc(${sorted}, bq_percentile('PERCENTILE_DISC', CAST(${call.sql[1]} AS DOUBLE)))`
}

export const WINDOW_FORMS: AggregateForms = {
  ROW_NUMBER: rank('row_number'),
  RANK: rank('rank'),
  DENSE_RANK: rank('dense_rank'),
  PERCENT_RANK: rank('percent_rank'),
  CUME_DIST: rank('cume_dist'),
  NTILE: call => windowed(call, 'ntile', `bq_ntile_buckets(${call.sql[0]})`),
  FIRST_VALUE: inFrame('first_value'),
  LAST_VALUE: inFrame('last_value'),
  NTH_VALUE: call => windowed(call, 'nth_value', `${call.sql[0]}, bq_nth(${call.sql[1]})${nullsOf(call)}`),
  LAG: shift('lag'),
  LEAD: shift('lead'),
  PERCENTILE_CONT: percentileCont,
  PERCENTILE_DISC: percentileDisc,
}
