/** Says which endpoints a token with given patterns and pins could call. */
import { namePattern } from '../../runner/auth/tokens.js'
import { type Access, refusalOf } from '../../runner/request/authorize.js'

export interface Confinement {
  /** Patterns of endpoint names; an empty list allows all. */
  readonly allow: readonly string[]
  /** Pinned values by parameter. */
  readonly pin: Readonly<Record<string, string>>
}

/** Whether a token for all tenants, with these patterns and pins, may call the endpoint. */
export function isReachable({ allow, pin }: Confinement, endpoint: Access): boolean {
  const patterns = allow.map(namePattern)
  const mayCall = (name: string): boolean => patterns.length === 0 || patterns.some(pattern => pattern.test(name))
  return refusalOf({ mayCall, pinned: pin, allTenants: true }, endpoint) === null
}
