/** `sluice token create|list|revoke`. */

import { assignments } from '../authoring/terminal/arguments.js'
import { EXIT, type Io } from '../authoring/terminal/io.js'
import { textTable } from '../authoring/terminal/table.js'
import { leftToCallers, tokenWarnings } from '../authoring/token/check-token.js'
import { addToken, listTokens, revokeToken } from '../authoring/token/token-writer.js'
import { tokensPath } from '../runner/serve/tokens.js'
import { readSettings } from '../runner/settings/settings.js'

type SettingFlags = Readonly<Record<string, string | undefined>>

export async function createTokenCommand(
  settingFlags: SettingFlags,
  flags: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<number> {
  const settings = readSettings(settingFlags, io.environment)
  const order = {
    name: flags['name'] as string,
    allow: flags['allow'] as readonly string[],
    pin: assignments('--pin', (flags['pin'] as readonly string[] | undefined) ?? []),
    allTenants: flags['allTenants'] === true,
    expires: flags['expires'] as string | undefined,
    rate: flags['rate'] as string | undefined,
    concurrent: flags['concurrent'] as string | undefined,
    fresh: flags['fresh'] as string | undefined,
    purge: flags['purge'] === true,
    explain: flags['explain'] === true,
    bytesPerDay: flags['bytesPerDay'] as string | undefined,
  }
  io.print(`${await addToken(settings, order)}\n`)
  io.printError('The token is shown only this once; the file stores only its hash.\n')
  const left = await leftToCallers(settings, order)
  if (left !== null) io.printError(`${left}\n`)
  for (const warning of await tokenWarnings(settings, order)) io.printError(`warning: ${warning}\n`)
  return EXIT.clean
}

export async function listTokensCommand(settingFlags: SettingFlags, io: Io): Promise<number> {
  const tokens = await listTokens(tokensPath(readSettings(settingFlags, io.environment)))
  const columns = [
    'name',
    'endpoints',
    'pinned',
    'expires',
    'rate',
    'concurrent',
    'fresh',
    'bytes a day',
    'purge',
    'explain',
    'all tenants',
  ].map(name => ({
    name,
    type: 'STRING',
  }))
  const rows = tokens.map(token => [
    token.name,
    token.endpoints.join(' '),
    Object.entries(token.pinned)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    token.expires ?? 'never',
    token.rate ?? 'unlimited',
    token.concurrent === null ? 'unlimited' : String(token.concurrent),
    token.fresh ?? 'never',
    token.bytesPerDay ?? 'unlimited',
    token.purge ? 'yes' : 'no',
    token.explain ? 'yes' : 'no',
    token.allTenants ? 'yes' : 'no',
  ])
  io.print(textTable(columns, rows))
  return EXIT.clean
}

export async function revokeTokenCommand(settingFlags: SettingFlags, name: string, io: Io): Promise<number> {
  await revokeToken(tokensPath(readSettings(settingFlags, io.environment)), name)
  io.print(`revoked ${name}\n`)
  return EXIT.clean
}
