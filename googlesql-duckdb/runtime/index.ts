/** Prepares a DuckDB connection for the SQL of this backend. Loads DuckDB. */

export { placeOf } from './javascript/place-of.js'
export type { RunJavaScript } from './javascript/register.js'
export type { SandboxAnswer, SandboxChannel, SandboxRequest } from './javascript/sandbox-thread.js'
export { prepareInstance, prepareSession } from './prepare-session.js'
export type { OnComputed } from './register.js'
export { ScalarFunctionError } from './scalar-functions/scalar-function.js'
export { stopwatch } from './stopwatch.js'
