/** Warnings about a new token whose calls would be refused with 403, given when the token is created. */

import { namePattern } from '../../runner/auth/tokens.js'
import { didYouMean } from '../../runner/model/suggest.js'
import { type CallerRights, refusalOf } from '../../runner/request/authorize.js'
import { pinnedValueProblem } from '../../runner/request/bind-pinned.js'
import type { Settings } from '../../runner/settings/settings.js'
import { listNames } from '../terminal/plural.js'
import { type FolderAccess, readAccess } from './read-access.js'
import type { NewToken } from './token-writer.js'

/**
 * The warnings, as sentences without a full stop. The token is created in any case: it fails closed, and its endpoints may be
 * added later. Never rejects.
 */
export async function tokenWarnings({ endpointsDir }: Settings, order: NewToken): Promise<readonly string[]> {
  const access = await readAccess(endpointsDir)
  if (access === null) {
    return [
      `there is no folder ${endpointsDir} of endpoints to compare patterns and pins with; --endpoints names another`,
    ]
  }
  const { endpoints, broken } = access
  const unread = `${broken === 1 ? 'a manifest holds errors and was' : `${broken} manifests hold errors and were`} not looked at; see sluice validate`
  return [
    ...(broken > 0 ? [unread] : []),
    ...unmatchedPatterns(order, endpoints),
    ...undeclaredPins(order, endpoints),
    ...closedEndpoints(order, endpoints),
  ]
}

/**
 * What the token leaves to its callers, as a sentence: the arguments of its endpoints that it does not pin. Null for a token
 * that pins nothing, or leaves nothing. Never rejects.
 */
export async function unpinnedNotice({ endpointsDir }: Settings, order: NewToken): Promise<string | null> {
  const { pin = {} } = order
  if (Object.keys(pin).length === 0) return null
  const endpoints = (await readAccess(endpointsDir))?.endpoints ?? []
  const unpinned = endpoints
    .filter(endpoint => refusalOf(confinementOf(order), endpoint) === null)
    .flatMap(({ parameters }) => parameters.map(({ name }) => name).filter(name => !Object.hasOwn(pin, name)))
  if (unpinned.length === 0) return null
  const pins = Object.entries(pin).map(([name, value]) => `${name}=${value}`)
  return `pinned: ${pins.join(' ')}; callers choose ${listNames([...new Set(unpinned)], MAX_NAMED)}: pin what is not theirs to choose, too`
}

type Endpoints = FolderAccess['endpoints']

function unmatchedPatterns({ allow }: NewToken, endpoints: Endpoints): readonly string[] {
  const names = endpoints.map(({ name }) => name)
  const unmatched = allow.filter(pattern => !names.some(name => namePattern(pattern).test(name)))
  return unmatched.map(pattern => `no endpoint is named "${pattern}"${didYouMean(pattern, names).hint}`)
}

function undeclaredPins({ pin = {} }: NewToken, endpoints: Endpoints): readonly string[] {
  const declared = new Set(endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  const undeclared = Object.keys(pin).filter(name => !declared.has(name))
  return undeclared.map(
    name => `no endpoint declares "${name}", so the token may call none${didYouMean(name, declared).hint}`,
  )
}

/** What a token of this order could call. */
export function confinementOf({ allow, pin = {}, allTenants = false }: Omit<NewToken, 'name'>): CallerRights {
  return { mayCall: name => allow.some(pattern => namePattern(pattern).test(name)), pinned: pin, allTenants }
}

/** The endpoints that the patterns name but the token may not call, by the reason. */
function closedEndpoints(order: NewToken, endpoints: Endpoints): readonly string[] {
  const caller = confinementOf(order)
  const closed = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    if (!caller.mayCall(endpoint.name)) continue
    const reason = refusalOf(caller, endpoint)?.reason ?? pinnedValueProblem(caller, endpoint)
    if (reason !== null) closed.set(reason, [...(closed.get(reason) ?? []), endpoint.name])
  }
  return [...closed].map(([reason, names]) => `the token may not call ${listNames(names, MAX_NAMED)}: ${reason}`)
}

/** The most endpoints that a warning names. */
const MAX_NAMED = 5
