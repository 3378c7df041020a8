/**
 * The largest LIMIT that is applied before wide columns are read. The translator applies it before lists are unnested
 * (passes/limit-before-unnest.ts). DuckDB applies it, too, and then reads the wide columns of the remaining rows by row id.
 */
export const MAX_LATE_ROWS = 10_000
