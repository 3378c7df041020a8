/** Expected differences: BigQuery is known to differ from the reference, or the reference is wrong or lacks the feature. */
import type { Class, Verdict } from './judge.js'

interface Explained {
  readonly reason: string
  readonly class?: readonly Class[]
  /** Matches the SQL of the query. */
  readonly sql?: RegExp
  readonly expected?: RegExp
  readonly found?: RegExp
}

const EXPLAINED: readonly Explained[] = [
  {
    reason:
      'BigQuery refuses NULL elements in the arrays of a result (data-types#array_nulls), the reference gives them',
    found: /^Array cannot have a null element/,
  },
  {
    reason: 'the reference orders arrays, which BigQuery does not (data-types#orderable_data_types)',
    class: ['error'],
    found: /is not defined for arguments of type ARRAY/,
  },
  {
    reason:
      'BigQuery documents INTERVAL n MILLISECOND and MICROSECOND (data-types#interval_type); the reference is older',
    expected: /^Invalid interval datetime field M(ILLI|ICRO)SECOND/,
  },
  {
    reason:
      'the reference looks at a constant JSONPath only when there is a document; here it is checked before the query runs',
    class: ['error'],
    found: /JSONPath/,
    expected: /^\[(\[(null|\[\])[\],]|\])/,
  },
  {
    reason:
      'the reference looks at a constant pattern only when there is a text; here it is checked before the query runs',
    class: ['error'],
    found: /regular expression|Regular expression|REGEXP_REPLACE pattern|LIKE pattern ends/,
    expected: /^\[(\[(null|\[\])[\],]|\])/,
  },
  {
    reason:
      'the reference looks at a constant pattern of LIKE ALL and LIKE ANY only where those before it leave the answer open',
    class: ['error'],
    sql: /LIKE (ALL|ANY)/,
    found: /LIKE pattern ends/,
  },
  {
    reason: 'BigQuery casts ranges to STRING (conversion_functions#cast_as_string), the reference has not built that',
    class: ['wrong', 'error'],
    sql: /CAST\(.*AS STRING\)/s,
    found: /\[(?:UNBOUNDED|\d{4}-)[^"]*, [^"]*\)/,
  },
  {
    reason: 'the reference has not built casts of ranges to STRING, so that its SAFE_CAST gives NULL',
    class: ['wrong', 'error'],
    sql: /RANGE<.*SAFE_CAST\(.*AS (?:ARRAY<)?STRING|SAFE_CAST\(.*AS (?:ARRAY<)?STRING.*RANGE</s,
    expected: /null/,
  },
  {
    reason: 'BigQuery documents %J (format-elements#format_elements_date_time), the reference has not built it',
    class: ['wrong'],
    sql: /SAFE\.FORMAT_\w+\([^)]*%J/,
    expected: /null/,
  },
  {
    reason: 'CBRT of NUMERIC is FLOAT64 in BigQuery (mathematical_functions#cbrt)',
    class: ['type'],
    sql: /CBRT/,
  },
  {
    reason:
      'BigQuery documents an empty string for the code point 0 (string_functions#chr), the reference gives U+0000',
    class: ['wrong'],
    sql: /CHR\(/,
    expected: /\\u0000/,
  },
  {
    reason: 'two escapes of JSON that are one character beyond U+FFFF together are read one by one by the reference',
    class: ['wrong'],
    sql: /\\ud8/,
    expected: /\uFFFD/,
  },
  {
    reason: 'where a JSONPath is NULL its operation is ignored (json_functions#json_set); the reference gives NULL',
    class: ['wrong'],
    sql: /JSON_(SET|REMOVE|ARRAY_INSERT|ARRAY_APPEND)\(/,
    expected: /null/,
  },
  {
    reason: 'a NULL is not a constant to search for (string_functions#contains_substr)',
    class: ['error'],
    found: /CONTAINS_SUBSTR: the search value must/,
  },
  {
    reason: 'the reference groups FLOAT64 in windows too, where BigQuery refuses it',
    class: ['error'],
    found: /^Analytic aggregate functions with DISTINCT cannot be used with arguments of type FLOAT64/,
  },
  {
    reason: 'the reference has no vectors; what it is asked instead does not check them',
    class: ['error'],
    found:
      /^(Array length mismatch|Cannot compute (cosine distance against zero vector|a distance with a NULL element))/,
  },
  {
    reason: 'the reference has no vectors; the formula that it is asked for instead is rounded in other places',
    class: ['error'],
    sql: /COSINE_DISTANCE/,
    found: /^Floating point error/,
  },
  {
    reason: 'the reference computes no more arguments of LOGICAL_AND after a FALSE, and of LOGICAL_OR after a TRUE',
    class: ['error'],
    sql: /LOGICAL_(AND|OR)\(/,
    expected: /true|false/,
  },
  {
    reason: 'the reference computes no more arguments of a statistic that is NaN already',
    class: ['error'],
    sql: /(CORR|COVAR_POP|COVAR_SAMP|VAR_POP|VAR_SAMP|VARIANCE|STDDEV\w*)\(/,
    expected: /"NaN"/,
  },
  {
    reason: 'the reference refuses a date part that INTERVAL does not have for the first row; here there need be none',
    class: ['error'],
    found: /^Unsupported interval datetime field/,
    expected: /^\[(\[null[\],]|\])/,
  },
  {
    reason: 'the reference has no vectors; the sum over no elements that it is asked for instead is NULL',
    class: ['wrong'],
    sql: /EUCLIDEAN_DISTANCE\((ARRAY<FLOAT64>\[\]|.*\bt\d+\.\w+)/,
  },
  {
    reason: 'BigQuery documents %J (format-elements), the reference does not know it',
    class: ['wrong', 'lenient'],
    sql: /%J/,
  },
  {
    reason: 'the reference has not built BASE32, so that its SAFE_CAST gives NULL',
    class: ['wrong'],
    sql: /BASE32/,
    expected: /null/,
  },
  {
    reason: 'the reference has not built Roman numerals, so that its SAFE_CAST gives NULL',
    class: ['wrong'],
    sql: /SAFE_CAST\(.* FORMAT '[^']*RN/i,
    expected: /null/,
  },
  {
    reason: 'BigQuery has no NANOSECOND (timestamp_functions#extract)',
    class: ['error'],
    found: /NANOSECOND date part/,
  },
  {
    reason: 'the reference takes one infinity from another on the way to a mean, where all of them are the same one',
    class: ['wrong'],
    sql: /AVG/,
    expected: /"NaN"/,
    found: /"-?Infinity"/,
  },
  {
    reason: 'the reference adds INT64 up as FLOAT64 for AVG; here their mean is exact',
    class: ['wrong'],
    sql: /AVG.*`d\.x`/,
  },
  {
    reason: 'statistics of values that lie twenty orders of magnitude apart have no digits that count',
    class: ['wrong'],
    sql: /(COVAR|VAR|STDDEV|CORR).*`d\.x`/,
  },
]

/**
 * Why a difference is expected; undefined where no reason is known. `sql` is null for a query that has not been shrunk yet:
 * reasons that depend on the SQL do not apply to it, because other parts of the query may cause the difference.
 */
export function reasonOf(sql: string | null, verdict: Verdict): string | undefined {
  return EXPLAINED.find(
    one =>
      (one.class?.includes(verdict.class) ?? true) &&
      (one.sql === undefined || (sql !== null && one.sql.test(sql))) &&
      (one.expected?.test(verdict.expected) ?? true) &&
      (one.found?.test(verdict.found) ?? true),
  )?.reason
}
