/** DuckDB SQL of range functions. A range is a struct of its bounds, which are infinite where it is unbounded. */
import { elementOfRange, isRangeKind, type RangeElementKind, type Type } from '../../googlesql/types/types.js'
import { duckdbType } from '../emit/type.js'
import { ofElements, type SqlWriter, type SqlWriters } from './function-sql.js'
import { recast } from './typed.js'

const elementOf = ({ kind }: Type): RangeElementKind => (isRangeKind(kind) ? elementOfRange(kind) : 'DATE')

/** The start or the end of a range, which is NULL where the range is unbounded. */
const bound = (field: 's' | 'e', infinity: string): SqlWriter =>
  recast(({ sql: [range], type }) => `nullif(struct_extract(${range}, '${field}'), '${infinity}'::${duckdbType(type)})`)

const contains: SqlWriter = ({ sql: [range, inner], args }) =>
  isRangeKind(args[1]!.type.kind)
    ? `bq_range_contains_range(${range}, ${inner})`
    : `bq_range_contains(${range}, ${inner})`

const construct: SqlWriter = ({ sql: [start, end], type }) => {
  const element = duckdbType({ kind: elementOf(type) })
  return `bq_range(CAST(${start} AS ${element}), CAST(${end} AS ${element}), '-infinity'::${element}, 'infinity'::${element})`
}

const generate: SqlWriter = ({ sql: [range, step, keepsPart], args }) =>
  `bq_${elementOf(args[0]!.type).toLowerCase()}_range_array(${range}, ${step}, ${keepsPart ?? 'true'})`

export const RANGE_WRITERS: SqlWriters = {
  RANGE: construct,
  RANGE_START: bound('s', '-infinity'),
  RANGE_END: bound('e', 'infinity'),
  RANGE_CONTAINS: contains,
  RANGE_OVERLAPS: ({ sql }) => `bq_range_overlaps(${sql.join(', ')})`,
  RANGE_INTERSECT: recast(({ sql, type }) => `bq_${elementOf(type).toLowerCase()}_range_intersect(${sql.join(', ')})`),
  GENERATE_RANGE_ARRAY: ofElements(generate),
}
