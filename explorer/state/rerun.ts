/** Repeats the last call of an endpoint that has changed since. */
import type { Arguments, Endpoint } from '../api/contract.js'
import { call, run } from './call.js'

/** The last call's arguments that the endpoint still declares; null where the last call was of another endpoint. */
function lastArguments({ id, parameters }: Endpoint): Arguments | null {
  const last = call.peek()
  if (!('args' in last) || last.endpoint.id !== id) return null
  const declared = new Set(parameters.map(({ name }) => name))
  return Object.fromEntries(Object.entries(last.args).filter(([name]) => declared.has(name)))
}

export const canRunAgain = (of: Endpoint): boolean => lastArguments(of) !== null

export function runAgain(of: Endpoint): void {
  const args = lastArguments(of)
  if (args !== null) void run(of, args)
}
