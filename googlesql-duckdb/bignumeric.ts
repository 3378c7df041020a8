/** The error message for a BIGNUMERIC that DECIMAL(38,9), the DuckDB type of BIGNUMERIC, cannot hold exactly. */
export const BEYOND_NUMERIC =
  'BIGNUMERIC values beyond the range and the 9 decimal places of NUMERIC are not supported on the embedded engine'
