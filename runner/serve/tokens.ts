/** The tokens file that the settings name, and its first token. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createToken, type NewToken } from '../auth/token-file.js'
import { UsageError } from '../model/errors.js'
import { systemClock } from '../platform/clock.js'
import type { Settings } from '../settings/settings.js'

/** The tokens file of the settings. */
export function tokensPath(settings: Settings): string {
  return settings.tokensFile ?? join(settings.dataDir, 'tokens.json')
}

/** Creates a token and returns its text; the file stores its hash. @throws UsageError, SetupError. */
export function addToken(settings: Settings, order: NewToken): Promise<string> {
  return createToken(tokensPath(settings), order, systemClock().nowMs())
}

/**
 * On a first run, without SLUICE_TOKEN and without a tokens file, creates an unrestricted token and returns its text, to be
 * shown once; otherwise returns null. @throws SetupError when the file cannot be written.
 */
export async function ensureToken(settings: Settings): Promise<string | null> {
  if (settings.token !== null || existsSync(tokensPath(settings))) return null
  try {
    return await addToken(settings, { name: 'first', allow: ['*'], allTenants: true })
  } catch (error) {
    // Another server, started at the same time, has created the token and shown it.
    if (error instanceof UsageError) return null
    throw error
  }
}
