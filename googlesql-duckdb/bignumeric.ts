/** DECIMAL(38,9) carries a BIGNUMERIC: what it cannot hold exactly is refused, in these words. */
export const BEYOND_NUMERIC =
  'BIGNUMERIC values beyond the range and the 9 decimal places of NUMERIC are not supported on the embedded engine'
