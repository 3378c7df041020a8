/** Prepares a DuckDB connection for the SQL that is written here. It loads DuckDB. */

export { prepareSession } from './prepare-session.js'
