/** Infers the schema of a table from files, without the embedded engine. */
export { inferTable } from '../engines/duckdb/infer/infer-table.js'
export type { InferredTable } from '../engines/duckdb/infer/inferred-table.js'
export { unreadFiles } from '../engines/duckdb/tables/data-folder.js'
export { whyUnread } from '../engines/duckdb/tables/unread-files.js'
