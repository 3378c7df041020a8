/** Macros of ranges: structs of two bounds, which are infinite where the range is unbounded. */
import { EMPTY_RANGE } from '../../../googlesql/values/ranges.js'

/**
 * For each type of bounds: its name in macros, its DuckDB type, SQL of the texts of a bound `d`, SQL of its microseconds, and
 * the conversion back.
 */
const ELEMENTS = [
  {
    name: 'date',
    type: 'DATE',
    text: 'CAST(d AS VARCHAR)',
    json: 'CAST(d AS VARCHAR)',
    micros: 'epoch_us(CAST(d AS TIMESTAMP))',
    ofMicros: (us: string) => `CAST(make_timestamp(${us}) AS DATE)`,
  },
  {
    name: 'datetime',
    type: 'TIMESTAMP',
    text: 'bq_datetime_text(CAST(d AS TIMESTAMP))',
    json: "bq_json_clock(replace(CAST(CAST(d AS TIMESTAMP) AS VARCHAR), ' ', 'T'))",
    micros: 'epoch_us(CAST(d AS TIMESTAMP))',
    ofMicros: (us: string) => `make_timestamp(${us})`,
  },
  {
    name: 'timestamp',
    type: 'TIMESTAMPTZ',
    text: 'bq_timestamp_text(CAST(d AS TIMESTAMPTZ))',
    json: "bq_json_clock(replace(CAST(CAST(d AS TIMESTAMP) AS VARCHAR), ' ', 'T')) || 'Z'",
    micros: 'epoch_us(CAST(d AS TIMESTAMPTZ))',
    ofMicros: (us: string) => `make_timestamptz(${us})`,
  },
] as const

/** The microseconds of the bound after `i` steps. DuckDB, too, takes the last day of a month that has no such day. */
const stepSql = (i: string): string =>
  `CASE WHEN b$.months = 0 THEN b$.low + (${i}) * b$.us ELSE epoch_us(make_timestamp(b$.low) + to_months(CAST((${i}) * b$.months AS INTEGER))) END`

export const RANGE_MACROS: readonly string[] = [
  `bq_range(low, high, least, most) AS CASE
    WHEN low >= high THEN bq_raise('${EMPTY_RANGE}') ELSE struct_pack(s := coalesce(low, least), e := coalesce(high, most)) END`,
  `bq_range_contains(r, x) AS (x >= r.s AND x < r.e)`,
  `bq_range_contains_range(r, o) AS (r.s <= o.s AND o.e <= r.e)`,
  `bq_range_overlaps(r, o) AS (r.s < o.e AND o.s < r.e)`,
  // Each bound is cast to its type: when DuckDB folds a NULL range to a constant, the bounds lose their type.
  ...ELEMENTS.flatMap(({ name, type, text, json, micros, ofMicros }) => [
    `bq_${name}_bound_text(d) AS CASE WHEN isfinite(CAST(d AS ${type})) THEN ${text} WHEN d IS NOT NULL THEN 'UNBOUNDED' END`,
    `bq_${name}_range_text(r) AS ('[' || bq_${name}_bound_text(r.s) || ', ' || bq_${name}_bound_text(r.e) || ')')`,
    `bq_json_of_${name}_bound(d) AS CASE WHEN isfinite(CAST(d AS ${type})) THEN '"' || ${json} || '"' ELSE 'null' END`,
    `bq_text_to_${name}_range(t) AS list_transform([bq_read_range(t, '${name}')], lambda b$: CASE WHEN b$ IS NOT NULL THEN
      struct_pack(s := CAST(b$[1] AS ${type}), e := CAST(b$[2] AS ${type})) END)[1]`,
    `bq_${name}_range_intersect(r, o) AS CASE
      WHEN bq_range_overlaps(r, o) THEN struct_pack(s := greatest(r.s, o.s), e := least(r.e, o.e))
      WHEN r IS NOT NULL AND o IS NOT NULL THEN bq_raise('Provided RANGE inputs: ' || bq_${name}_range_text(r) || ' and ' ||
        bq_${name}_range_text(o) || ' do not overlap. Please check RANGE_OVERLAPS before calling RANGE_INTERSECT') END`,
    `bq_${name}_micros(d) AS CASE WHEN isfinite(CAST(d AS ${type})) THEN ${micros} END`,
    `bq_${name}_range_array(r, step, keeps) AS list_transform(
      [{'low': bq_${name}_micros(r.s), 'high': bq_${name}_micros(r.e), 'months': bq_interval_months(step),
        'us': bq_interval_days(step) * 86400000000 + bq_interval_micros(step), 'n': bq_range_count('${name}', [bq_${name}_micros(r.s),
        bq_${name}_micros(r.e), bq_interval_months(step), bq_interval_days(step), bq_interval_micros(step)]::BIGINT[],
        r IS NULL OR step IS NULL OR keeps IS NULL, keeps)}],
      lambda b$: list_transform(range(b$.n), lambda i$: struct_pack(s := ${ofMicros(stepSql('i$'))},
        e := ${ofMicros(`least(${stepSql('i$ + 1')}, b$.high)`)})))[1]`,
  ]),
]
