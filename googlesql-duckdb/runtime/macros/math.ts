/** Macros of mathematical functions, with BigQuery's errors, and with results where DuckDB would raise an error. */
const shown = (x: string): string => `bq_float_text(${x})`

export const MATH_MACROS: readonly string[] = [
  `bq_checked_float(kind, name, x, value) AS CASE
    WHEN isfinite(value) OR NOT isfinite(x) THEN value
    WHEN x IS NOT NULL THEN bq_raise('Floating point ' || kind || ' in function: ' || name || '(' || ${shown('x')} || ')')
    END`,
  `bq_checked_pair(name, x, y, value) AS CASE
    WHEN isfinite(value) OR NOT isfinite(x) OR NOT isfinite(y) THEN value
    WHEN x IS NOT NULL AND y IS NOT NULL THEN bq_raise(
      'Floating point error in function: ' || name || '(' || ${shown('x')} || ', ' || ${shown('y')} || ')') END`,

  `bq_sqrt(x) AS CASE
    WHEN x < 0 THEN bq_raise('Argument to SQRT cannot be negative: ' || ${shown('x')}) ELSE sqrt(x) END`,
  // DuckDB's cbrt is a power of one third, which is slightly inexact: one step of Newton's method corrects it.
  'bq_cbrt_within(x) AS (cbrt(x) - (cbrt(x) ** 3 - x) / (3 * cbrt(x) ** 2))',
  // The cube of a very large number would overflow: the number is scaled by 2^-300, and the root by 2^100.
  `bq_cbrt(x) AS CASE
    WHEN x = 0 OR NOT isfinite(x) THEN x
    WHEN abs(x) > 1e300 THEN bq_cbrt_within(x * ${2 ** -300}::DOUBLE) * ${2 ** 100}::DOUBLE
    ELSE bq_cbrt_within(x) END`,
  `bq_pow(x, y) AS bq_checked_pair('POW', x, y, pow(x, y))`,
  `bq_ln(x) AS CASE WHEN x > 0 THEN ln(x) ELSE bq_checked_float('error', 'LN', x, 'nan'::DOUBLE) END`,
  `bq_log10(x) AS CASE WHEN x > 0 THEN log10(x) ELSE bq_checked_float('error', 'LOG10', x, 'nan'::DOUBLE) END`,
  `bq_log(x, base) AS bq_checked_pair('LOG', x, base,
    CASE WHEN x > 0 AND base > 0 AND isfinite(base) THEN ln(x) / ln(base)
    WHEN x IS NOT NULL AND base IS NOT NULL THEN 'nan'::DOUBLE END)`,

  `bq_abs_int64(x) AS CASE
    WHEN x = -9223372036854775808 THEN bq_raise('int64 overflow: ABS(' || x || ')') ELSE abs(x) END`,
  `bq_div_int64(x, y) AS CASE
    WHEN y = 0 THEN bq_raise('division by zero: ' || x || ' / ' || y)
    WHEN y = -1 AND x = -9223372036854775808 THEN bq_raise('int64 overflow: ' || x || ' / ' || y)
    ELSE x // y END`,
  `bq_mod_int64(x, y) AS CASE
    WHEN y = 0 THEN bq_raise('division by zero: MOD(' || x || ', ' || y || ')')
    WHEN y = -1 THEN x - x ELSE x % y END`,
  `bq_mod_numeric(x, y) AS CASE
    WHEN y = 0 THEN bq_raise('division by zero: MOD(' || bq_json_digits(x) || ', ' || bq_json_digits(y) || ')')
    ELSE CAST(x % y AS DECIMAL(38,9)) END`,

  // The product with the power of ten has a relative error of at most 2^-53: DuckDB rounds only where this error cannot affect
  // the result. `checked` is SQL with the value of x that also raises the errors of values that are not finite.
  `bq_round_float64(x, checked, digits, power) AS CASE
    WHEN abs(x * power - round(x * power)) + abs(x * power) * 1e-15 < 0.499999::DOUBLE THEN round(x * power) / power
    ELSE bq_round_double(checked, digits) END`,
  // Where the product is infinite the difference is NaN, which DuckDB orders after 1.
  `bq_trunc_float64(x, checked, digits, power) AS CASE
    WHEN abs(x * power - round(x * power)) - abs(x * power) * 1e-15 BETWEEN 0.000001::DOUBLE AND 1::DOUBLE THEN trunc(x * power) / power
    ELSE bq_trunc_double(checked, digits) END`,

  `bq_same_length(x, y) AS CASE
    WHEN x IS NULL OR y IS NULL THEN NULL
    WHEN len(x) <> len(y) THEN bq_raise('Array length mismatch: ' || len(x) || ' and ' || len(y) || '.')
    WHEN list_count(x) < len(x) OR list_count(y) < len(y) THEN bq_raise('Cannot compute a distance with a NULL element')
    ELSE y END`,
  // DuckDB refuses a NULL element of x even where y is NULL.
  `bq_euclidean_distance(x, y) AS list_distance(CASE WHEN y IS NOT NULL THEN x END, bq_same_length(x, y))`,
  `bq_cosine_distance(x, y) AS CASE
    WHEN x IS NULL OR y IS NULL THEN NULL
    WHEN list_inner_product(x, x) = 0 OR list_inner_product(y, y) = 0
    THEN bq_raise('Cannot compute cosine distance against zero vector.')
    ELSE list_cosine_distance(x, bq_same_length(x, y)) END`,
]
