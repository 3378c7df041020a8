/**
 * The most rows that are cut before wide columns are read: by the translator, before lists are unnested
 * (generate/early-limit.ts), and by DuckDB, which then reads those columns by the rows' places.
 */
export const MAX_EARLY_ROWS = 10_000
