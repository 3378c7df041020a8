/** `sluice token create|list|revoke`. */

import { assignments } from '../authoring/terminal/arguments.js'
import { EXIT, type Io } from '../authoring/terminal/io.js'
import { tableOf } from '../authoring/terminal/table.js'
import { tokenWarnings, unpinnedNotice } from '../authoring/token/check-token.js'
import { addToken, listTokens, type NewToken, revokeToken } from '../authoring/token/token-writer.js'
import type { TokenRecord } from '../runner/auth/token-file.js'
import { tokensPath } from '../runner/serve/tokens.js'
import type { Settings } from '../runner/settings/settings.js'

/** The flags of `token create`: the properties of the new token, with each pin as a text `name=value`. */
export interface TokenFlags extends Omit<NewToken, 'pin'> {
  readonly pin?: readonly string[]
}

export async function createTokenCommand(settings: Settings, flags: TokenFlags, io: Io): Promise<number> {
  const order = { ...flags, pin: assignments('--pin', flags.pin ?? []) }
  io.print(`${await addToken(settings, order)}\n`)
  io.printError('The token is shown only this once; the file stores only its hash.\n')
  const notice = await unpinnedNotice(settings, order)
  if (notice !== null) io.printError(`${notice}\n`)
  for (const warning of await tokenWarnings(settings, order)) io.printError(`warning: ${warning}\n`)
  return EXIT.clean
}

/** The columns of the list. */
const COLUMNS: Readonly<Record<string, (token: TokenRecord) => string>> = {
  name: ({ name }) => name,
  endpoints: ({ endpoints }) => endpoints.join(' '),
  pinned: ({ pinned }) =>
    Object.entries(pinned)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  expires: ({ expires }) => expires ?? 'never',
  rate: ({ rate }) => rate ?? 'unlimited',
  concurrent: ({ concurrent }) => String(concurrent ?? 'unlimited'),
  fresh: ({ fresh }) => fresh ?? 'never',
  'bytes a day': ({ bytesPerDay }) => bytesPerDay ?? 'unlimited',
  purge: ({ purge }) => (purge ? 'yes' : 'no'),
  explain: ({ explain }) => (explain ? 'yes' : 'no'),
  export: token => (token.export ? 'yes' : 'no'),
  'all tenants': ({ allTenants }) => (allTenants ? 'yes' : 'no'),
}

export async function listTokensCommand(settings: Settings, io: Io): Promise<number> {
  io.print(tableOf(await listTokens(tokensPath(settings)), COLUMNS))
  return EXIT.clean
}

export async function revokeTokenCommand(settings: Settings, name: string, io: Io): Promise<number> {
  await revokeToken(tokensPath(settings), name)
  io.print(`revoked ${name}\n`)
  return EXIT.clean
}
