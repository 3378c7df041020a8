/**
 * Casts whose result in DuckDB differs from BigQuery's. DuckDB itself reads text in the usual form; a scalar function reads
 * other text.
 *
 * A parameter is never cast by a plain CAST that fails for some values: DuckDB pushes `CAST(row.field AS type)` down to where
 * it reads the field and evaluates it for every row, even if the cast is inside a branch of a CASE or inside TRY. DuckDB does
 * not move TRY_CAST.
 */

const SPACE = '[ \\t\\n\\v\\f\\r]*'
const DATE = '[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}'
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?'
const UTC = '(Z|\\+00(:00)?)'

export const CAST_MACROS: readonly string[] = [
  // The text of printf's %g with 15 digits, or with 17 where 15 do not give the same number.
  `bq_float_text(x) AS CASE WHEN isnan(x) THEN 'nan' WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'inf' ELSE '-inf' END
     WHEN x = 0 THEN '0' WHEN CAST(printf('%.15g', x) AS DOUBLE) = x THEN printf('%.15g', x) ELSE printf('%.17g', x) END`,
  `bq_numeric_text(x) AS rtrim(rtrim(CAST(CAST(x AS DECIMAL(38,9)) AS VARCHAR), '0'), '.')`,
  `bq_float_to_int64(x) AS CASE WHEN isfinite(x) THEN coalesce(TRY_CAST(round(x) AS BIGINT), bq_error('int64 out of range: ' || bq_float_text(x)))
     ELSE bq_error('Illegal conversion of non-finite floating point number to an integer: ' || bq_float_text(x)) END`,
  // Thirty digits after the point are more than enough to round the ninth digit correctly.
  `bq_float_to_numeric(x) AS CASE WHEN isfinite(x) THEN coalesce(TRY_CAST(printf('%.30f', x) AS DECIMAL(38,9)), bq_raise('numeric out of range: ' || bq_float_text(x)))
     ELSE bq_raise('Illegal conversion of non-finite floating point number to numeric: ' || bq_float_text(x)) END`,
  // DuckDB's cast converts the units of 10^-9 to a double and divides. Beyond 2^53 units both steps would round, so larger values
  // are cast as text.
  `bq_numeric_to_float(x) AS CASE WHEN abs(x) < 9007199 THEN CAST(x AS DOUBLE) ELSE CAST(CAST(x AS VARCHAR) AS DOUBLE) END`,
  `bq_numeric_to_int64(x) AS coalesce(TRY_CAST(x AS BIGINT), CASE WHEN x IS NOT NULL THEN bq_error('int64 out of range: ' || bq_numeric_text(x)) END)`,
  `bq_shown(text) AS CASE WHEN length(text) > 32 THEN left(text, 32) || '...' ELSE text END`,
  // Where the pattern does not match, regexp_extract returns '', which TRY_CAST makes NULL; then the other forms are tried.
  `bq_text_to_int64(x) AS coalesce(TRY_CAST(regexp_extract(x, '^[+-]?[0-9]+$') AS BIGINT), list_extract(list_transform([x], lambda text$: bq_odd_text_to_int64(text$)), 1))`,
  `bq_odd_text_to_int64(x) AS CASE
     WHEN regexp_full_match(x, '${SPACE}[+-]?[0-9]+${SPACE}') THEN coalesce(TRY_CAST(trim(x, bq_white_space()) AS BIGINT), bq_error('Bad int64 value: ' || bq_shown(x)))
     WHEN regexp_full_match(x, ' *[+-]?0[xX][0-9a-fA-F]+${SPACE}') THEN bq_read_hex(x)
     WHEN x IS NOT NULL THEN bq_error('Bad int64 value: ' || bq_shown(x)) END`,
  `bq_white_space() AS (' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))`,
  `bq_text_to_float(x) AS coalesce(TRY_CAST(regexp_extract(x, '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$') AS DOUBLE), list_extract(list_transform([x], lambda text$: bq_odd_text_to_float(text$)), 1))`,
  `bq_odd_text_to_float(x) AS CASE
     WHEN regexp_full_match(x, '${SPACE}[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?${SPACE}') OR regexp_full_match(x, '(?i)${SPACE}[+-]?(inf|infinity|nan)${SPACE}')
       THEN CAST(trim(x, '+' || bq_white_space()) AS DOUBLE)
     WHEN regexp_full_match(x, '(?i)${SPACE}[+-]?0x.*${SPACE}') THEN bq_read_hex_float(x)
     WHEN regexp_full_match(x, '(?i)${SPACE}[+-]?nan\\([0-9a-z_]*\\)${SPACE}') THEN 'nan'::DOUBLE
     WHEN x IS NOT NULL THEN bq_raise('Bad double value: ' || bq_shown(x)) END`,
  `bq_text_to_numeric(x) AS CASE WHEN regexp_full_match(x, '[+-]?[0-9]{1,28}(\\.[0-9]+)?') THEN TRY_CAST(x AS DECIMAL(38,9)) ELSE CAST(bq_read_numeric(x) AS DECIMAL(38,9)) END`,
  `bq_text_to_bool(x) AS CASE lower(x) WHEN 'true' THEN true WHEN 'false' THEN false ELSE CASE WHEN x IS NOT NULL THEN bq_raise('Bad bool value: ' || bq_shown(x)) END END`,
  `bq_text_to_date(x) AS coalesce(CASE WHEN regexp_full_match(x, '${DATE}') THEN TRY_CAST(x AS DATE) END, CAST(bq_read_date(x) AS DATE))`,
  `bq_text_to_time(x) AS coalesce(CASE WHEN regexp_full_match(x, '${TIME}') THEN TRY_CAST(x AS TIME) END, CAST(bq_read_time(x) AS TIME))`,
  `bq_text_to_datetime(x) AS coalesce(CASE WHEN regexp_full_match(x, '${DATE}[ T]${TIME}') THEN TRY_CAST(x AS TIMESTAMP) END, CAST(bq_read_datetime(x) AS TIMESTAMP))`,
  `bq_text_to_timestamp(x) AS make_timestamptz(epoch_us(coalesce(
     CASE WHEN regexp_full_match(x, '${DATE}[ T]${TIME}${UTC}?') THEN TRY_CAST(x AS TIMESTAMP) END,
     CAST(left(bq_read_timestamp(x), -3) AS TIMESTAMP))))`,
  `bq_limited_text(x, n) AS CASE WHEN length(x) > n THEN bq_raise('STRING(' || n || ') has maximum length ' || n || ' but got a value with length ' || length(x)) ELSE x END`,
  `bq_limited_bytes(x, n) AS CASE WHEN octet_length(x) > n THEN bq_raise('BYTES(' || n || ') has maximum length ' || n || ' but got a value with length ' || octet_length(x)) ELSE x END`,
  `bq_limited_numeric(x, rounded, most, message) AS CASE WHEN abs(rounded) > most THEN bq_raise(message) ELSE rounded END`,
]
