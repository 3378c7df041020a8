/** What the rest of the program uses of BigQuery: the engine, and Google's client for its other resources. */
export { clientFailure, type OpenedAccess, openAccess } from './auth/credentials.js'
export { openBigQueryEngine } from './open-engine.js'
