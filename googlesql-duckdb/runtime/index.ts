/** Prepares a DuckDB connection for the SQL of this backend. Loads DuckDB. */

export { loadSandbox } from './javascript/sandbox.js'
export { prepareInstance, prepareSession } from './prepare-session.js'
