/** What a call would run: the SQL of its variant, and what is bound to it. For tokens made with `--explain`; nothing is run. */
import { notAllowed } from '../model/errors.js'
import type { Caller } from '../model/ports.js'
import type { BoundValue } from '../model/query.js'
import { bindPinned } from './bind-pinned.js'
import { admitCall, type PlanDeps, type Progress } from './plan.js'
import type { RawArguments } from './raw-arguments.js'

export interface ExplainedCall {
  readonly endpoint: string
  readonly revision: string
  /** As its author has written it, with the words of lookup tables and constants in it, and never an argument. */
  readonly sql: string
  /** In the order of the manifest; `now` last, where the query reads it. */
  readonly parameters: readonly ({ readonly name: string } & BoundValue)[]
}

/**
 * The token's pins hold as they do in a call.
 * @throws RunnerError ENDPOINT_UNKNOWN, TOKEN_NOT_ALLOWED, ARGUMENT_INVALID.
 */
export function explainCall(
  caller: Caller,
  request: { readonly ref: string; readonly readAddress: () => RawArguments },
  deps: PlanDeps,
  progress: Progress,
): ExplainedCall {
  const { endpoint } = admitCall(caller, request, deps, progress)
  const refusal = { rule: 'explain', reason: 'the token was made without --explain' } as const
  if (!caller.mayExplain) throw notAllowed('The token may not see queries.', refusal)
  const args = bindPinned(caller, endpoint, request.readAddress())
  const { sql, parameters } = endpoint.render(args, deps.clock.nowMicros())
  return {
    endpoint: endpoint.name,
    revision: endpoint.revision,
    sql,
    parameters: Object.entries(parameters).map(([name, { type, value }]) => ({ name, type, value: plain(value) })),
  }
}

/** JSON has no whole numbers of 64 bits. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map(plain) : value
}
