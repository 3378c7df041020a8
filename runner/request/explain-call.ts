/** The SQL that a call would run, and its parameters. For tokens made with `--explain`; nothing is run. */
import type { Endpoint } from '../model/endpoint.js'
import { notAllowed } from '../model/errors.js'
import type { Caller } from '../model/ports.js'
import { keptInWords, keptOf } from '../refresh/kept-buckets.js'
import { bindPinned } from './bind-pinned.js'
import type { RawArguments } from './raw-arguments.js'
import type { RunDeps } from './run-query.js'

/**
 * The token's pins hold as they do in a call. `sql` is as its author has written it, with the words of lookup tables and constants
 * in it, and never an argument; `parameters` are in the order of the manifest, `now` last, where the query reads it;
 * `refresh` says what is kept of the result.
 * @throws RunnerError TOKEN_NOT_ALLOWED, ARGUMENT_INVALID.
 */
export function explainCall(
  caller: Caller,
  endpoint: Endpoint,
  readAddress: () => RawArguments,
  { clock, engine }: RunDeps,
) {
  const refusal = { rule: 'explain', reason: 'the token was made without --explain' } as const
  if (!caller.mayExplain) throw notAllowed('The token may not see queries.', refusal)
  const args = bindPinned(caller, endpoint, readAddress())
  const query = endpoint.render(args, clock.nowMicros())
  return {
    endpoint: endpoint.name,
    revision: endpoint.revision,
    sql: query.sql,
    parameters: Object.entries(query.parameters).map(([name, { type, value }]) => ({
      name,
      type,
      value: plain(value),
    })),
    refresh: keptInWords(keptOf(endpoint, engine, query)),
  }
}

/** JSON has no whole numbers of 64 bits. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map(plain) : value
}
