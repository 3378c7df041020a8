/** Arguments in an address. */
import type { Arguments } from './contract.js'

/** Without `?`; a list repeats its name. */
export function queryOf(args: Arguments): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    for (const item of typeof value === 'string' ? [value] : value) query.append(name, item)
  }
  return query.toString()
}
