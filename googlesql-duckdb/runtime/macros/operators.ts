/** Operators whose result in DuckDB differs from BigQuery's. */

export const OPERATOR_MACROS: readonly string[] = [
  // In BigQuery, NaN does not equal any value and is neither less nor greater. In DuckDB it equals itself and is greater than all other
  // values. The IS NULL tests of the other operand keep a NULL result from becoming false.
  'bq_float_eq(a, b) AS (a = b AND (b IS NULL OR NOT isnan(a)))',
  'bq_float_ne(a, b) AS (a <> b OR (isnan(a) AND b IS NOT NULL))',
  'bq_float_lt(a, b) AS (a < b AND (a IS NULL OR NOT isnan(b)))',
  'bq_float_le(a, b) AS (a <= b AND (a IS NULL OR NOT isnan(b)))',
  // The product of two factors below 1e9 fits DuckDB's widest decimal type, and a cast of that type rounds half away from zero.
  `bq_numeric_multiply(a, b) AS CASE WHEN abs(a) < 1000000000 AND abs(b) < 1000000000
     THEN CAST(TRY_CAST(a AS DECIMAL(18,9)) * TRY_CAST(b AS DECIMAL(18,9)) AS DECIMAL(38,9))
     ELSE CAST(bq_multiply_decimals(CAST(a AS VARCHAR), CAST(b AS VARCHAR)) AS DECIMAL(38,9)) END`,
  'bq_numeric_divide(a, b) AS CAST(bq_divide_decimals(CAST(a AS VARCHAR), CAST(b AS VARCHAR)) AS DECIMAL(38,9))',
  // The shift works on an unsigned 64-bit integer, which HUGEINT can hold.
  `bq_shift_left(a, n) AS CASE WHEN n < 0 THEN bq_raise_for(a, 'Bitwise shift by negative offset.') WHEN n >= 64 THEN a & 0
     ELSE bq_signed(((a::HUGEINT & (18446744073709551615::HUGEINT >> n::HUGEINT)) * (1::HUGEINT << n::HUGEINT)) & 18446744073709551615::HUGEINT) END`,
  `bq_shift_right(a, n) AS CASE WHEN n < 0 THEN bq_raise_for(a, 'Bitwise shift by negative offset.') WHEN n >= 64 THEN a & 0
     ELSE bq_signed((a::HUGEINT & 18446744073709551615::HUGEINT) >> n::HUGEINT) END`,
  'bq_signed(bits) AS CAST(CASE WHEN bits > 9223372036854775807 THEN bits - 18446744073709551616::HUGEINT ELSE bits END AS BIGINT)',
  `bq_list_concat(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_concat(a, b) END`,
  // IN UNNEST: an empty or NULL array contains no value, not even NULL.
  `bq_in_array(x, list) AS CASE WHEN list IS NULL OR len(list) = 0 THEN false WHEN x IS NULL THEN NULL
     WHEN list_contains(list, x) THEN true WHEN list_count(list) < len(list) THEN NULL ELSE false END`,
  'bq_float_in_array(x, list) AS CASE WHEN isnan(x) THEN CASE WHEN list_count(list) < len(list) THEN NULL ELSE false END ELSE bq_in_array(x, list) END',
  // Combines the tests of all elements, each of which is true, false or NULL.
  `bq_any_of(tests) AS CASE WHEN tests IS NULL THEN false WHEN list_contains(tests, true) THEN true WHEN list_count(tests) < len(tests) THEN NULL ELSE false END`,
  `bq_all_of(tests) AS CASE WHEN tests IS NULL THEN true WHEN list_contains(tests, false) THEN false WHEN list_count(tests) < len(tests) THEN NULL ELSE true END`,
  `bq_like_pattern(pattern) AS CASE WHEN ends_with(pattern, '\\') AND (length(pattern) - length(rtrim(pattern, '\\'))) % 2 = 1
     THEN bq_raise('LIKE pattern ends with a backslash') ELSE pattern END`,
  // DuckDB's LIKE may make pattern × text^n / n! comparisons, where `pattern` and `text` are lengths, and n is the number of % that are
  // followed by something. Where these are too many, RE2 takes at most pattern × text steps; it runs only for a text that contains the
  // first literal part of the pattern.
  `bq_like(x, p) AS CASE
     WHEN strlen(x) > bq_like_max_length(p) THEN CASE WHEN contains(x, regexp_extract(bq_like_pattern(p), '[^%_\\\\]+'))
       THEN bq_like_by_regexp(x, p) ELSE false END
     WHEN contains(p, '\\') THEN x LIKE bq_like_pattern(p) ESCAPE '\\'
     ELSE x LIKE p END`,
  // RE2 takes one step for each byte of the text while its automaton fits into its memory. That is so for a short pattern with few `_`.
  // For any other pattern, its time is at most the text's length times the pattern's length.
  `bq_like_by_regexp(x, p) AS CASE
     WHEN strlen(p) > 32000 OR (strlen(x) * strlen(p) > 20000000 AND (strlen(p) > 1000 OR strlen(p) - strlen(replace(p, '_', '')) > 8))
     THEN bq_exceeded('LIKE compares too long a text with too long a pattern')
     ELSE regexp_full_match(x, bq_like_regexp(CASE WHEN strlen(p) <= 32000 THEN p END)) END`,
  // The list of patterns, which is refused if the text is too long for all of them. Short texts are not measured.
  `bq_like_patterns(list, n) AS CASE
     WHEN n > 1000 AND n * strlen(CAST(list AS VARCHAR)) > 100000000 THEN bq_exceeded('LIKE compares too long a text with too many patterns') ELSE list END`,
  // `_` matches any byte.
  'bq_bytes_like(x, p) AS bq_like(bq_latin1(x), CASE WHEN x IS NOT NULL THEN bq_latin1(p) END)',
  // The longest text for which DuckDB's LIKE makes at most 2^20 comparisons, by the formula at bq_like: for n up to 1, for 2, and for 3.
  // With a greater n, every text is too long. LIKE finds n faster than counting does.
  `bq_like_max_length(p) AS CASE
     WHEN p NOT LIKE '%!%%!%_%' ESCAPE '!' THEN 1048576 // (strlen(p) + 1)
     WHEN p NOT LIKE '%!%%!%%!%_%' ESCAPE '!' THEN 1448 / sqrt(strlen(p) + 1)
     WHEN p NOT LIKE '%!%%!%%!%%!%_%' ESCAPE '!' THEN 184 / cbrt(strlen(p) + 1)
     WHEN p IS NOT NULL THEN 0 END`,
  `bq_array_at_offset(list, i) AS CASE WHEN list IS NOT NULL AND (i < 0 OR i >= len(list)) THEN bq_raise('Array index ' || i || ' is out of bounds') ELSE list_extract(list, i + 1) END`,
  `bq_array_at_ordinal(list, i) AS CASE WHEN list IS NOT NULL AND (i < 1 OR i > len(list)) THEN bq_raise('Array index ' || i || ' is out of bounds') ELSE list_extract(list, i) END`,
  'bq_safe_array_at_offset(list, i) AS CASE WHEN i >= 0 AND i < len(list) THEN list_extract(list, i + 1) END',
  'bq_safe_array_at_ordinal(list, i) AS CASE WHEN i >= 1 AND i <= len(list) THEN list_extract(list, i) END',
  `bq_only_element(list) AS CASE WHEN len(list) > 1 THEN bq_raise('Scalar subquery produced more than one element') ELSE list_extract(list, 1) END`,
  `bq_frame_offset(n) AS CASE WHEN n IS NULL THEN bq_raise('Window frame offset for PRECEDING or FOLLOWING cannot be NULL')
     WHEN n < 0 THEN bq_raise('Window frame offset for PRECEDING or FOLLOWING must be non-negative, but was ' || n) ELSE n END`,
  `bq_frame_offset_float(n) AS CASE WHEN isfinite(n) OR n IS NULL THEN bq_frame_offset(n)
     ELSE bq_raise('Window frame offsets that are not finite are not supported on the embedded engine') END`,
  // A NUMERIC in units of 1e-9: at most 1e38, and a HUGEINT holds up to 1.7e38.
  `bq_decimal_units(x) AS (CAST(trunc(x) AS HUGEINT) * 1000000000 + CAST(CAST(x - trunc(x) AS DECIMAL(10,9)) * 1000000000::DECIMAL(10,0) AS HUGEINT))`,
  `bq_frame_offset_numeric(n) AS CASE WHEN n > 70000000000000000000000000000
     THEN bq_raise('Window frame offsets of NUMERIC above 7e28 are not supported on the embedded engine') ELSE bq_decimal_units(n) END`,
  'bq_interval_add(a, b, sgn) AS bq_interval(bq_interval_months(a) + bq_interval_months(b) * sgn, bq_interval_days(a) + bq_interval_days(b) * sgn, bq_interval_micros(a) + bq_interval_micros(b) * sgn)',
  'bq_interval_multiply(i, n) AS bq_interval(bq_interval_months(i) * n, bq_interval_days(i) * n, bq_interval_micros(i) * n)',
  // The remainder of a part is carried to the next one: a month has 30 days, a day 24 hours.
  `bq_interval_divide(i, n) AS CASE WHEN n = 0 THEN bq_raise_for(i, 'Interval division by zero') ELSE bq_interval(
     bq_interval_months(i) // n,
     (bq_interval_days(i) + bq_interval_months(i) % n * 30) // n,
     (bq_interval_micros(i) + (bq_interval_days(i) + bq_interval_months(i) % n * 30) % n * 86400000000) // n) END`,
]
