/** Macros over the results of DuckDB's aggregates. The arguments of a macro are aggregates over the same rows. */
/** The beginning of a CASE that refuses a number `n` that is NULL, and one that is too small. */
const checked = (subject: string, none: 'NULL' | 'null', must: 'be positive' | 'not be negative'): string => `CASE
    WHEN n IS NULL THEN bq_raise('${subject} must not be ${none}')
    WHEN n < ${must === 'be positive' ? 1 : 0} THEN bq_raise('${subject} must ${must}')`

export const AGGREGATE_MACROS: readonly string[] = [
  `bq_separator(text) AS coalesce(text, bq_raise('Illegal NULL separator in STRING_AGG'))`,
  // DuckDB sums integers as HUGEINT, which no BigQuery table can overflow.
  `bq_sum_int64(total) AS CASE
    WHEN total BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST(total AS BIGINT)
    ELSE bq_raise_for(total, 'int64 overflow') END`,
  // DuckDB sums DECIMAL(38,9) in 128 bits, whose range is slightly larger than NUMERIC's.
  `bq_sum_numeric(total) AS CASE
    WHEN abs(total) <= 99999999999999999999999999999.999999999::DECIMAL(38,9) THEN CAST(total AS DECIMAL(38,9))
    ELSE bq_raise_for(total, 'numeric overflow: SUM') END`,
  // The sum of NUMERICs: `whole` is the sum of their integer parts, a HUGEINT, and `fraction` the sum of their fractions.
  `bq_sum_parts(whole, fraction) AS CASE
    WHEN abs(whole + CAST(trunc(fraction) AS HUGEINT)) > 99999999999999999999999999999::HUGEINT THEN bq_raise('numeric overflow: SUM')
    ELSE CAST(CAST(whole + CAST(trunc(fraction) AS HUGEINT) AS DECIMAL(38,9)) + CAST(fraction - trunc(fraction) AS DECIMAL(38,9)) AS DECIMAL(38,9)) END`,
  `bq_avg_parts(whole, fraction, n) AS
    CAST(bq_numeric_average(whole, CAST(fraction AS VARCHAR), n) AS DECIMAL(38,9))`,
  // Macros for a list of DECIMAL(38,9). A lambda binds the list, so that DuckDB computes it once.
  'bq_sum_wholes(items) AS list_sum(list_transform(items, lambda e$: CAST(trunc(e$) AS HUGEINT)))',
  'bq_sum_fractions(items) AS list_sum(list_transform(items, lambda e$: e$ - trunc(e$)))',
  'bq_sum_list(items) AS list_transform([items], lambda l$: bq_sum_parts(bq_sum_wholes(l$), bq_sum_fractions(l$)))[1]',
  `bq_avg_list(items) AS list_transform([items], lambda l$:
    bq_avg_parts(bq_sum_wholes(l$), bq_sum_fractions(l$), list_count(l$)))[1]`,
  ...['bq_numeric', 'bq_bignumeric'].flatMap(type =>
    [['pop', 0] as const, ['samp', 1] as const].flatMap(([name, less]) => [
      `${type}_covar_${name}(pairs) AS ${type}_covariance(pairs, ${less})`,
      `${type}_var_${name}(items) AS ${type}_variance(items, ${less})`,
      `${type}_stddev_${name}(items) AS sqrt(${type}_variance(items, ${less}))`,
    ]),
  ),
  // `small` is the total of the values scaled by 2^-64, which is finite where all values are. It occurs once in the macro, since
  // DuckDB plans an aggregate again for each occurrence.
  'bq_float_total(total, small) AS CASE WHEN isfinite(total) = false THEN bq_made_large(small) ELSE total END',
  "bq_min_float64(least_input, greatest_input) AS CASE WHEN isnan(greatest_input) THEN 'nan'::DOUBLE ELSE least_input END",
  // `small` is the result for values scaled by 2^-600. It is used where the squares of the values would overflow; 2^600 and `back` undo
  // the scaling.
  `bq_spread(value, small, back, greatest_input, least_input) AS CASE
    WHEN abs(greatest_input) < 1e150 AND abs(least_input) < 1e150 THEN value
    WHEN isfinite(greatest_input) AND isfinite(least_input) THEN small * 4.149515568880993e180 * back
    WHEN greatest_input IS NOT NULL THEN 'nan'::DOUBLE END`,
  `bq_corr(value, small, greatest_x, greatest_y) AS CASE
    WHEN greatest(greatest_x, greatest_y) < 1e150 THEN value
    WHEN least(greatest_x, greatest_y) > 1e-100 OR least(greatest_x, greatest_y) = 0 THEN small
    WHEN greatest_x IS NOT NULL THEN
      bq_raise('CORR of values as far apart as 1e150 and 1e-100 is not supported on the embedded engine') END`,

  `bq_interval_total(items) AS bq_interval(
    bq_sum_int64(list_sum(list_transform(items, lambda i$: bq_interval_months(i$)))),
    bq_sum_int64(list_sum(list_transform(items, lambda i$: bq_interval_days(i$)))),
    bq_sum_int64(list_sum(list_transform(items, lambda i$: bq_interval_micros(i$)))))`,

  // The remainder of a part is carried to the next one: a month has 30 days, a day 24 hours.
  `bq_interval_average(months, days, us, n) AS bq_interval(
    months // n, (days + months % n * 30) // n,
    CAST((us + (days + months % n * 30) % n * 86400000000) // n AS BIGINT))`,

  `bq_limit_list(items, n) AS CASE
    WHEN n < 0 OR n IS NULL THEN bq_raise('Limit requires non-negative count') WHEN n > 0 THEN list_slice(items, 1, n) END`,
  // DuckDB joins only texts, and only by a constant: so by none, each text with the delimiter before it. NULLs are left out.
  `bq_join_list(items, delimiter) AS
    substr(list_aggregate(list_transform(items, lambda item$: delimiter || item$), 'string_agg', ''), length(delimiter) + 1)`,
  `bq_join_bytes(items, delimiter) AS unhex(bq_join_list(list_transform(items, lambda item$: hex(item$)), hex(delimiter)))`,

  // Quantile i of n is the value of row ceil(rows * i / n); rows are counted from one.
  `bq_quantiles(items, n) AS bq_pick_quantiles(list_sort(items, 'ASC', 'NULLS FIRST'), bq_quantile_count(n))`,
  `bq_quantiles_float64(items, n) AS list_transform(
    bq_pick_quantiles(
      list_sort(list_transform(items, lambda e$: -e$), 'DESC', 'NULLS FIRST'), bq_quantile_count(n)), lambda e$: -e$)`,
  `bq_pick_quantiles(sorted, n) AS CASE WHEN len(sorted) > 0 THEN list_transform(
    range(n + 1), lambda i$: list_extract(sorted, greatest((len(sorted) * i$ + n - 1) // n, 1))) END`,
  `bq_quantile_count(n) AS ${checked('The second argument to APPROX_QUANTILES function', 'NULL', 'be positive')}
    WHEN n > 100000 THEN bq_raise('The second argument to APPROX_QUANTILES function must not exceed 100000')
    ELSE n END`,

  `bq_top(name, ordinal, n) AS ${checked("The ' || ordinal || ' argument to ' || name || ' function", 'NULL', 'be positive')}
    ELSE n END`,
  // Among equal counts the smaller value comes first, so that the result is deterministic.
  `bq_top_count(histogram, nulls, n) AS CASE WHEN histogram IS NOT NULL OR nulls > 0 THEN list_transform(
    list_slice(
      list_sort(list_concat(
        list_transform(map_entries(histogram), lambda e$: {'c': -CAST(e$.value AS BIGINT), 'v': e$.key}),
        CASE WHEN nulls > 0 THEN [{'c': -nulls, 'v': NULL}] ELSE [] END)),
      1, bq_top('APPROX_TOP_COUNT', 'second', n)),
    lambda e$: {'value': e$.v, 'count': -e$.c}) END`,
  `bq_top_sum(pairs, n) AS (SELECT list_slice(
      list({'value': v, 'sum': s} ORDER BY s DESC NULLS LAST, v NULLS FIRST), 1, bq_top('APPROX_TOP_SUM', 'third', n))
    FROM (SELECT p.v AS v, sum(p.w) AS s FROM (SELECT unnest(pairs) AS p) GROUP BY p.v))`,
  // A subquery cannot read the result of a window function, so this works on lists; it is quadratic in the number of values.
  `bq_top_sum_over(pairs, n) AS CASE WHEN pairs IS NOT NULL THEN list_transform(
    list_slice(
      list_sort(
        list_transform(
          list_distinct(list_transform(pairs, lambda p$: {'v': p$.v})),
          lambda d$: {
            's': list_sum(list_transform(list_filter(pairs, lambda p$: p$.v IS NOT DISTINCT FROM d$.v), lambda p$: p$.w)),
            'v': d$.v}),
        'DESC', 'NULLS LAST'),
      1, bq_top('APPROX_TOP_SUM', 'third', n)),
    lambda e$: {'value': e$.v, 'sum': e$.s}) END`,

  `bq_window_offset(name, n) AS ${checked("The offset to the function ' || name || '", 'null', 'not be negative')} ELSE n END`,
  `bq_nth(n) AS ${checked('The N value for the NthValue function', 'null', 'be positive')} ELSE n END`,
  `bq_ntile_buckets(n) AS
    ${checked('The N value (number of buckets) for the NTILE function', 'NULL', 'be positive')} ELSE n END`,

  `bq_percentile(name, p) AS CASE
    WHEN p IS NULL THEN bq_raise('The second argument to the function ' || name || ' must not be NULL')
    WHEN p >= 0 AND p <= 1 THEN p
    ELSE bq_raise('The second argument to the function ' || name || ' must be in [0, 1]') END`,
  `bq_sorted_floats(items) AS
    list_transform(list_sort(list_transform(items, lambda e$: -e$), 'DESC', 'NULLS FIRST'), lambda e$: -e$)`,
  // Interpolating between NULL and a value gives the value; between two NULLs it gives NULL.
  `bq_percentile_cont(sorted, p) AS CASE WHEN len(sorted) > 0 THEN bq_interpolate(
    list_extract(sorted, CAST(floor((len(sorted) - 1) * p) AS BIGINT) + 1),
    list_extract(sorted, CAST(ceil((len(sorted) - 1) * p) AS BIGINT) + 1),
    (len(sorted) - 1) * p - floor((len(sorted) - 1) * p)) END`,
  `bq_interpolate(low, high, weight) AS CASE
    WHEN weight = 0 OR high IS NULL THEN low WHEN low IS NULL THEN high
    ELSE low * (1 - weight) + high * weight END`,
  `bq_percentile_disc(sorted, p) AS CASE WHEN len(sorted) > 0 THEN
    list_extract(sorted, greatest(bq_ceil_of_product(len(sorted), p), 1)) END`,
  `bq_percentile_disc_exact(sorted, p) AS CASE WHEN len(sorted) > 0 THEN
    list_extract(sorted, greatest(CAST(ceil(len(sorted) * p * (1 - 1e-12)) AS BIGINT), 1)) END`,
]
