/** The commands that serve endpoints, and what those who run a server need: stored results and tokens. */
import type { Command } from 'commander'
import type { Declaring } from '../authoring/terminal/declare.js'
import { type Flags, settingFlags, withSettings } from '../authoring/terminal/flags.js'
import { SETTINGS } from '../runner/settings/settings.js'

export function declareServe({ command, exit, io }: Declaring): void {
  withSettings(
    command('serve', 'Serve the endpoints over HTTP.'),
    SETTINGS.map(row => row.flag),
  ).action(async (flags: Flags) => {
    const { serve } = await import('./serve.js')
    exit(await serve(settingFlags(flags), io))
  })
}

export function declareCache({ command, group, exit, io }: Declaring): void {
  const cache = group('cache', 'Stored results.')
  withSettings(
    command('purge [name]', 'Forget the stored results of an endpoint, or of all, in every replica.', cache),
    ['--endpoints', '--redis-prefix'],
  )
    .option('--url <url>', 'ask this server, with the token in SLUICE_TOKEN; without it, purge the Redis of REDIS_URL')
    .action(async (name: string | undefined, flags: Flags) => {
      const { purgeCache } = await import('./cache.js')
      exit(await purgeCache(name, flags['url'], settingFlags(flags), io))
    })
}

export function declareToken(declaring: Declaring): void {
  const token = declaring.group('token', 'Tokens that callers send.')
  declareTokenCreate(declaring, token)
  declareTokenList(declaring, token)
  declareTokenRevoke(declaring, token)
}

const TOKEN_FLAGS = ['--tokens', '--data']

function declareTokenCreate({ command, exit, io }: Declaring, token: Command): void {
  withSettings(command('create', 'Make a token; its text is shown once.', token), [...TOKEN_FLAGS, '--endpoints'])
    .requiredOption('--name <name>', 'how it is called in the file and in logs')
    .requiredOption('--allow <pattern...>', 'endpoints it may call: names, where * stands for any characters')
    .option('--pin <name=value...>', 'run every call with this argument, and refuse any other')
    .option('--all-tenants', 'it may call endpoints of tenants without pinning the tenant')
    .option('--expires <period>', 'how long it is valid: 90d, 12h')
    .option('--rate <calls/period>', 'how often it may call: 100/min')
    .option('--concurrent <calls>', 'how many of its calls may wait for queries at once: 10')
    .option('--bytes-per-day <size>', 'what its queries may be billed for on BigQuery in a day: 100 GB')
    .option('--purge', 'it may purge stored results')
    .option('--explain', 'it may see the SQL that its calls run: for authors')
    .option('--fresh <results/period>', 'how often Cache-Control: no-cache gets a fresh result: 10/min; else never')
    .action(async (flags: Flags) => {
      const { createTokenCommand } = await import('./token.js')
      exit(await createTokenCommand(settingFlags(flags), flags, io))
    })
}

function declareTokenList({ command, exit, io }: Declaring, token: Command): void {
  withSettings(command('list', 'List the tokens; their texts are not kept.', token), TOKEN_FLAGS).action(
    async (flags: Flags) => {
      const { listTokensCommand } = await import('./token.js')
      exit(await listTokensCommand(settingFlags(flags), io))
    },
  )
}

function declareTokenRevoke({ command, exit, io }: Declaring, token: Command): void {
  withSettings(command('revoke <name>', 'Remove a token; it stops working at once.', token), TOKEN_FLAGS).action(
    async (name: string, flags: Flags) => {
      const { revokeTokenCommand } = await import('./token.js')
      exit(await revokeTokenCommand(settingFlags(flags), name, io))
    },
  )
}
