/** Infers the schema of a table from files, without the embedded engine. */
export { inferTable } from '../engines/duckdb/infer/infer-table.js'
export type { InferredTable } from '../engines/duckdb/infer/inferred-table.js'
