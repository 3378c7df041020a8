/** Macros of array functions. */

/** The most elements of a generated array. */
const MAX_GENERATED = 1_000_000

const TOO_MANY = `bq_raise('Cannot generate arrays with more than ${MAX_GENERATED} elements.')`

/** The most bytes of delimiters in a joined text. */
const MAX_DELIMITERS = 8_388_608
/** The most pairs of elements that are compared one by one. */
const MAX_PAIRS = 200_000
/** The most elements of an array times the bytes of the arguments that are read for each of them. */
const MAX_READ = 4_194_304

export const ARRAY_MACROS: readonly string[] = [
  // Each of these gives its array, which is refused if the work would be too long. The test gives the array: while DuckDB plans, it would
  // compute a function of constants in a branch that is not taken.
  `bq_joinable(items, delimiter) AS CASE
    WHEN len(items) * strlen(CAST(delimiter AS VARCHAR)) > ${MAX_DELIMITERS}
    THEN bq_exceeded('ARRAY_TO_STRING joins too many elements with too long a delimiter') ELSE items END`,
  `bq_comparable(items, others) AS CASE
    WHEN len(items) * len(others) > ${MAX_PAIRS} THEN bq_exceeded('arrays of STRUCTs with too many elements are compared') ELSE items END`,
  `bq_readable(items, size) AS CASE
    WHEN len(items) * size > ${MAX_READ} THEN bq_exceeded('a lambda reads too long arguments for too many elements') ELSE items END`,
  `bq_array_first(items) AS list_extract(items, CASE
    WHEN len(items) = 0 THEN bq_raise('ARRAY_FIRST cannot get the first element of an empty array') ELSE 1 END)`,
  `bq_array_last(items) AS list_extract(items, CASE
    WHEN len(items) = 0 THEN bq_raise('ARRAY_LAST cannot get the last element of an empty array') ELSE len(items) END)`,
  // Both offsets are zero-based and inclusive; negative ones count from the end.
  `bq_array_slice(items, first, last) AS CASE WHEN items IS NOT NULL AND first IS NOT NULL AND last IS NOT NULL THEN
    list_slice(
      items,
      CASE WHEN first < 0 THEN greatest(len(items) + first, 0) ELSE least(first, len(items)) END + 1,
      least(CASE WHEN last < 0 THEN greatest(len(items) + last, -1) ELSE last END, len(items)) + 1) END`,
  `bq_array_is_distinct(items) AS
    len(list_distinct(items)) + CASE WHEN list_count(items) < len(items) THEN 1 ELSE 0 END = len(items)`,
  `bq_array_includes_all(items, sought) AS CASE WHEN items IS NOT NULL THEN
    list_has_all(items, sought) AND list_count(sought) = len(sought) END`,

  // The checks are inside the arguments of generate_series: DuckDB would evaluate a constant call before a CASE around it.
  `bq_series_step(step) AS CASE WHEN step = 0 THEN bq_raise('Sequence step cannot be 0.') ELSE step END`,
  `bq_series_end(first, last, step) AS CASE
    WHEN step <> 0 AND (CAST(last AS HUGEINT) - first) // step >= ${MAX_GENERATED} THEN ${TOO_MANY} ELSE last END`,
  `bq_generate_array(first, last, step) AS
    generate_series(first, bq_series_end(first, last, step), bq_series_step(step))`,
  `bq_series_length(first, last, step) AS CASE
    WHEN first IS NULL OR last IS NULL OR step IS NULL THEN NULL
    WHEN step = 0 THEN bq_raise('Sequence step cannot be 0.')
    WHEN CAST(last - first AS DOUBLE) / CAST(step AS DOUBLE) >= ${MAX_GENERATED} THEN ${TOO_MANY}
    ELSE greatest(CAST(floor(CAST(last - first AS DOUBLE) / CAST(step AS DOUBLE)) AS BIGINT) + 2, 0) END`,
  `bq_series_floats(first, last, step) AS CASE
    WHEN isnan(first) OR isnan(last) OR isnan(step) THEN bq_raise('Sequence start, end, and step cannot be NaN.')
    WHEN isinf(step) THEN bq_raise('Sequence step cannot be +/-inf.')
    WHEN first = last THEN 0.0::DOUBLE
    WHEN isinf(first) OR isinf(last) THEN CASE WHEN (first < last) = (step > 0) THEN ${TOO_MANY} ELSE -1.0::DOUBLE END
    ELSE last - first END`,
  // The quotient of FLOAT64s is not exact, so the macro generates one element more than the quotient gives, and then keeps the
  // elements within the bounds.
  `bq_generate_array_float64(first, last, step) AS list_filter(
    list_transform(
      range(bq_series_length(0.0::DOUBLE, bq_series_floats(first, last, step), step)),
      lambda i$: CASE WHEN i$ = 0 THEN first ELSE first + i$ * step END),
    lambda e$: CASE WHEN step > 0 THEN e$ <= last ELSE e$ >= last END)`,
  `bq_generate_array_numeric(first, last, step) AS list_filter(
    list_transform(
      range(bq_series_length(first, last, step)),
      lambda i$: CAST(first + CAST(i$ AS DECIMAL(18,0)) * CAST(step AS DECIMAL(38,9)) AS DECIMAL(38,9))),
    lambda e$: CASE WHEN step > 0 THEN e$ <= last ELSE e$ >= last END)`,

  `bq_sorted_bounds(bounds) AS CASE
    WHEN list_count(bounds) < len(bounds) THEN bq_raise('Elements in input array to RANGE_BUCKET cannot be null.')
    WHEN list_sort(bounds) <> bounds THEN
      bq_raise('Elements in input array to RANGE_BUCKET must be in ascending order.')
    ELSE bounds END`,
  `bq_range_bucket(point, bounds) AS CASE WHEN point IS NOT NULL THEN
    len(list_filter(bq_sorted_bounds(bounds), lambda bound$: bound$ <= point)) END`,
  `bq_range_bucket_float64(point, bounds) AS CASE WHEN isnan(point) THEN NULL
    WHEN isnan(list_max(bounds)) THEN bq_raise_for(point, 'Elements in input array to RANGE_BUCKET cannot be NaN.')
    ELSE bq_range_bucket(point, bounds) END`,
]
