/** The tokens file of the settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createToken, listTokens, type NewToken, revokeToken, type TokenRecord } from '../auth/token-file.js'
import { UsageError } from '../model/errors.js'
import { systemClock } from '../process/clock.js'
import type { Settings } from '../settings/settings.js'

/** The tokens file of the settings. */
export function tokensPath(settings: Settings): string {
  return settings.tokensFile ?? join(settings.dataDir, 'tokens.json')
}

/** The text of a new token; the file keeps its hash. @throws UsageError, SetupError. */
export function addToken(settings: Settings, order: NewToken): Promise<string> {
  return createToken(tokensPath(settings), order, systemClock().nowMs())
}

/** What the tokens file holds. @throws SetupError. */
export function readTokens(settings: Settings): Promise<readonly TokenRecord[]> {
  return listTokens(tokensPath(settings))
}

/** @throws UsageError when there is no token of this name; SetupError. */
export function removeToken(settings: Settings, name: string): Promise<void> {
  return revokeToken(tokensPath(settings), name)
}

/**
 * On a first run, without SLUICE_TOKEN and without a tokens file, makes a token that may call everything, for all tenants, and returns
 * its text, to be shown once; otherwise null. @throws SetupError when the file cannot be written.
 */
export async function ensureToken(settings: Settings): Promise<string | null> {
  if (settings.token !== null || existsSync(tokensPath(settings))) return null
  try {
    return await addToken(settings, { name: 'first', allow: ['*'], allTenants: true })
  } catch (error) {
    // Another server that was started at the same time has made it, and shown it.
    if (error instanceof UsageError) return null
    throw error
  }
}
