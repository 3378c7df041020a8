/**
 * Macros of JSON functions. DuckDB reads numbers into doubles and writes them again, which may change their text. An exact
 * JavaScript function computes the values that may have changed. Such values are rare: DuckDB alone computes most rows.
 */

/**
 * Matches a text from DuckDB that may differ from the input: it contains a number with a point or exponent, `-0`, or an escape
 * in upper case. Also matches NaN and Infinity, which DuckDB accepts although they are not JSON.
 */
const DIFFERING = '[0-9][.eE]|-0|\\\\u00|NaN|Inf'
const MAY_DIFFER = `'${DIFFERING}'`
/** For a STRING, U+2028 and U+2029 are escaped as well. */
const TEXT_MAY_DIFFER = `'${DIFFERING}|[\\x{2028}\\x{2029}]'`

/**
 * Reads the scalar at `pointer`; `exact` is the call that reads it in JavaScript. DuckDB parses the document again for each
 * function call in this SQL, so the most frequent kinds are tested first.
 */
const scalarAt = (exact: string): string => `CASE
    WHEN json_type(document, pointer) IN ('VARCHAR', 'UBIGINT', 'BOOLEAN') THEN json_extract_string(document, pointer)
    ELSE CASE WHEN json_type(document, pointer) IN ('DOUBLE', 'BIGINT')
    THEN ${exact}(CAST(document AS VARCHAR), path, form) END END`

export const JSON_MACROS: readonly string[] = [
  // In text that is not JSON, BigQuery reads the part before the first error.
  `bq_json_begins(document) AS regexp_matches(document, '^[ \\t\\n\\r]*(?:[-{["''0-9]|true|false)')`,
  // DuckDB reads the integer -0 as 0. (In a date, a digit follows the -0.)
  "bq_json_has_negative_zero(document) AS (contains(document, '-0') AND regexp_matches(document, '-0(?:[^.0-9eE]|$)'))",
  `bq_json_value_text_at(document, pointer, path, form) AS CASE WHEN json_valid(document) THEN
    ${scalarAt('bq_json_value_text')} ELSE CASE WHEN bq_json_begins(document)
    THEN bq_json_value_text(document, path, form) END END`,
  `bq_json_value_at(document, pointer, path, form) AS ${scalarAt('bq_json_value')}`,
  `bq_json_query_text_at(document, pointer, path, form) AS CASE WHEN json_valid(document) THEN
    CASE WHEN json_type(document, pointer) = 'NULL' THEN NULL
    WHEN regexp_matches(CAST(json_extract(document, pointer) AS VARCHAR), ${TEXT_MAY_DIFFER}) OR bq_json_has_negative_zero(document)
    THEN bq_json_query_text(document, path, form)
    ELSE CAST(json_extract(document, pointer) AS VARCHAR) END
    ELSE CASE WHEN bq_json_begins(document) THEN bq_json_query_text(document, path, form) END END`,
  `bq_json_query_at(document, pointer, path, form) AS CASE
    WHEN regexp_matches(CAST(json_extract(document, pointer) AS VARCHAR), ${MAY_DIFFER})
    THEN bq_json_query(CAST(document AS VARCHAR), path, form)
    ELSE CAST(json_extract(document, pointer) AS VARCHAR) END`,
  `bq_json_member(document, name) AS CASE WHEN json_type(document) = 'OBJECT' THEN
    json_extract(document, '/' || replace(replace(name, '~', '~0'), '/', '~1')) END`,
  `bq_json_item(document, index) AS CASE WHEN json_type(document) = 'ARRAY' AND index >= 0 THEN
    json_extract(document, '$[' || index || ']') END`,
  // For each WHEN, DuckDB would compute the operand of the CASE again; the lambda makes it compute the operand once.
  `bq_json_type(document) AS list_transform([json_type(document)], lambda kind$: CASE kind$
    WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean'
    WHEN 'NULL' THEN 'null' ELSE CASE WHEN kind$ IS NOT NULL THEN 'number' END END)[1]`,
  `bq_int64_of_json(document) AS coalesce(
    CASE WHEN json_type(document) IN ('UBIGINT', 'BIGINT') THEN TRY_CAST(CAST(document AS VARCHAR) AS BIGINT) END,
    bq_json_int64(CAST(document AS VARCHAR)))`,
  `bq_string_of_json(document) AS CASE
    WHEN json_type(document) = 'VARCHAR' THEN json_extract_string(document, '$')
    ELSE bq_json_string(CAST(document AS VARCHAR)) END`,
  `bq_json_items_strict(document) AS CASE WHEN document IS NOT NULL THEN
    coalesce(bq_json_items(document), bq_raise('The provided JSON input is not an array')) END`,

  // DuckDB writes escapes of control characters other than \\b, \\f, \\n, \\r and \\t in upper case.
  `bq_json_of_string(text) AS CASE WHEN contains(CAST(to_json(text) AS VARCHAR), '\\u') THEN bq_json_quote(text)
    ELSE CAST(to_json(text) AS VARCHAR) END`,
  `bq_json_string_of_string(text) AS CASE
    WHEN regexp_matches(text, '[\\x{2028}\\x{2029}]') THEN bq_json_quote_ascii_lines(text) ELSE bq_json_of_string(text) END`,
  `bq_json_of_int64(x, stringifies) AS CASE
    WHEN stringifies AND x NOT BETWEEN -9007199254740992 AND 9007199254740992 THEN '"' || x || '"'
    ELSE CAST(x AS VARCHAR) END`,
  "bq_json_digits(x) AS regexp_replace(CAST(x AS VARCHAR), '\\.?0+$', '')",
  `bq_json_string_of_numeric(x) AS CASE
    WHEN x = trunc(x) AND abs(x) <= 9007199254740992 THEN bq_json_digits(x) ELSE '"' || bq_json_digits(x) || '"' END`,
  // A number of the JSON type is an INT64, a UINT64 or a FLOAT64.
  `bq_json_of_numeric(x, stringifies) AS CASE
    WHEN x = trunc(x) AND abs(x) <= 9007199254740992 THEN bq_json_digits(x)
    WHEN stringifies AND (x = trunc(x) AND x BETWEEN -9223372036854775808 AND 18446744073709551615
      OR TRY_CAST(bq_json_canonical(bq_json_digits(x)) AS DECIMAL(38,9)) IS DISTINCT FROM x) THEN '"' || bq_json_digits(x) || '"'
    WHEN TRY_CAST(bq_json_canonical(bq_json_digits(x)) AS DECIMAL(38,9)) IS DISTINCT FROM x THEN bq_raise('Failed to convert type NUMERIC to JSON')
    WHEN x IS NOT NULL THEN bq_json_canonical(bq_json_digits(x)) END`,
  `bq_json_of_float64(x) AS CASE
    WHEN isfinite(x) THEN bq_json_double(x)
    WHEN isnan(x) THEN '"NaN"' WHEN x > 0 THEN '"Infinity"' WHEN x < 0 THEN '"-Infinity"' END`,
  `bq_json_string_of_float64(x) AS CASE WHEN isfinite(x) THEN bq_float_text(x) ELSE bq_json_of_float64(x) END`,
  `bq_json_of_json(text) AS CASE
    WHEN regexp_matches(text, '[0-9][.eE]') THEN bq_json_canonical(text) ELSE text END`,
  // Fractions of a second have 3, 6 or 9 digits.
  `bq_json_clock(text) AS CASE WHEN contains(text, '.')
    THEN rpad(text, CAST(length(text) + (3 - length(regexp_extract(text, '\\.(.*)$', 1)) % 3) % 3 AS INTEGER), '0')
    ELSE text END`,
  `bq_json_object(keys, texts, no_values) AS CASE
    WHEN keys IS NULL THEN bq_raise('Invalid input to JSON_OBJECT: The keys array cannot be NULL')
    WHEN no_values THEN bq_raise('Invalid input to JSON_OBJECT: The values array cannot be NULL')
    WHEN len(keys) <> len(texts) THEN
      bq_raise('Invalid input to JSON_OBJECT: The number of keys and values must match')
    WHEN list_count(keys) < len(keys) THEN bq_raise('Invalid input to JSON_OBJECT: A key cannot be NULL')
    ELSE bq_json_canonical('{' || coalesce(list_aggregate(
      list_transform(list_zip(keys, texts), lambda pair$: bq_json_of_string(pair$[1]) || ':' || pair$[2]), 'string_agg', ','), '') || '}')
    END`,
]
