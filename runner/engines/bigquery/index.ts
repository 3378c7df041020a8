/** What the rest of the program uses from this folder: the engine, and Google's client for everything but queries. */
export { clientFailure, type OpenedAccess, openAccess } from './auth/credentials.js'
export { BigQueryEngine } from './open-engine.js'
