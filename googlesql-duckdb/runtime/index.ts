/** Prepares a DuckDB connection for the SQL of this backend. Loads DuckDB. */

export { prepareSession } from './prepare-session.js'
