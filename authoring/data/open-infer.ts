/** Infers the schema of a table from files, without the embedded engine. */

export { unreadFiles } from '../../runner/engines/duckdb/tables/data-folder.js'
export { inferTable } from './infer/infer-table.js'
export type { InferredTable } from './infer/inferred-table.js'
