/**
 * The most rows that are limited before wide columns are read: by the translator, before lists are unnested
 * (passes/limit-before-unnest.ts), and by DuckDB, which then reads those columns by row id.
 */
export const MAX_LATE_ROWS = 10_000
