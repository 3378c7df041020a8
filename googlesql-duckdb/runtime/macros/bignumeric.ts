/** Macros of BIGNUMERIC. In DuckDB, a BIGNUMERIC is a BIGNUM that counts units of 10^-38. */
import { BIGNUMERIC_SCALE, BIGNUMERIC_UNIT, MAX_BIGNUMERIC, MIN_BIGNUMERIC } from '../../bignumeric.js'

const big = (units: bigint): string => `'${units}'::BIGNUM`
const zeros = (count: number): string => `'${'0'.repeat(count)}'`
const text = (x: string): string => `bq_bignumeric_text(${x})`
/** The number of digits after the point of a NUMERIC. */
const NUMERIC_SCALE = 9

export const BIGNUMERIC_MACROS: readonly string[] = [
  `bq_bignumeric_exceeds(x) AS (x > ${big(MAX_BIGNUMERIC)} OR x < ${big(MIN_BIGNUMERIC)})`,
  `bq_bignumeric_add(a, b) AS CASE WHEN bq_bignumeric_exceeds(a + b)
    THEN bq_bignumeric_overflow(${text('a')} || ' + ' || ${text('b')}) ELSE a + b END`,
  `bq_bignumeric_abs(x) AS CASE WHEN x < ${big(0n)} THEN bq_bignumeric_negate(x) ELSE x END`,
  `bq_bignumeric_sign(x) AS CASE WHEN x > ${big(0n)} THEN ${big(BIGNUMERIC_UNIT)}
    WHEN x < ${big(0n)} THEN ${big(-BIGNUMERIC_UNIT)} WHEN x IS NOT NULL THEN ${big(0n)} END`,
  // `total` occurs once, since DuckDB plans an aggregate again for each occurrence.
  `bq_bignumeric_total(total) AS list_transform([total], lambda t$:
    CASE WHEN bq_bignumeric_exceeds(t$) THEN bq_bignumeric_overflow('SUM') ELSE t$ END)[1]`,
  `bq_int64_to_bignumeric(x) AS CAST(CAST(x AS VARCHAR) || ${zeros(BIGNUMERIC_SCALE)} AS BIGNUM)`,
  `bq_numeric_to_bignumeric(x) AS
    CAST(replace(CAST(CAST(x AS DECIMAL(38,9)) AS VARCHAR), '.', '') || ${zeros(BIGNUMERIC_SCALE - NUMERIC_SCALE)} AS BIGNUM)`,
  // DuckDB converts plain decimal text; a scalar function reads or refuses all other text.
  `bq_text_to_bignumeric(x) AS CASE WHEN regexp_full_match(x, '[+-]?[0-9]{1,38}(\\.[0-9]{1,38})?')
    THEN TRY_CAST(split_part(x, '.', 1) || rpad(split_part(x, '.', 2), ${BIGNUMERIC_SCALE}, '0') AS BIGNUM)
    ELSE bq_bignumeric_read(x) END`,
  `bq_bignumeric_fraction(name, p) AS CASE
    WHEN p IS NULL THEN bq_raise('The second argument to the function ' || name || ' must not be NULL')
    WHEN p >= ${big(0n)} AND p <= ${big(BIGNUMERIC_UNIT)} THEN p
    ELSE bq_raise('The second argument to the function ' || name || ' must be in [0, 1]') END`,
  `bq_bignumeric_percentile_disc(sorted, p) AS CASE WHEN len(sorted) > 0 THEN
    list_extract(sorted, bq_bignumeric_rank(len(sorted), p)) END`,
]
