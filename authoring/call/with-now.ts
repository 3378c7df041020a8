/** Binds `@now` for SQL that does not come from a manifest. */

import { instantText } from '../../runner/manifest/instant-text.js'
import type { Clock } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'

export type QueryParameters = Query['parameters']

/** The names of the parameters in the SQL, as they are spelled there; also those in comments and string literals. */
export const parametersIn = (sql: string): ReadonlySet<string> =>
  new Set([...sql.matchAll(/(?<!@)@`?(\w+)/g)].map(([, name]) => name!))

/** Binds `@now` where the SQL reads it, so that the SQL of manifests runs unchanged. */
export function withNow(sql: string, parameters: QueryParameters, clock: Clock): QueryParameters {
  const hasNow = (names: Iterable<string>): boolean => [...names].some(name => name.toLowerCase() === 'now')
  if (hasNow(Object.keys(parameters)) || !hasNow(parametersIn(sql))) return parameters
  return { ...parameters, now: { type: 'TIMESTAMP', value: instantText(clock.nowMicros()) } }
}
