/** What the rest of the program uses of BigQuery: the engine, and requests to its other resources. */
export { type Access, openAccess } from './auth/credentials.js'
export { clientOver, jobOf } from './client.js'
export { openBigQueryEngine } from './open-engine.js'
export { pause } from './rest/abortable-wait.js'
export { BigQueryFailure } from './rest/failure.js'
export type { RestJob, RestJobReference } from './rest/messages.js'
export { createSender } from './rest/retry.js'
export { createTransport, TransportError } from './rest/transport.js'
