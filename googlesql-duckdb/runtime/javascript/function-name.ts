/** The DuckDB function that runs JavaScript. */
export const JAVASCRIPT_FUNCTION = 'bq_javascript'
