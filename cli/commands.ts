/** The commands of a person who runs a server: `serve`, `cache` and `token`. */
import type { Declarer } from '../authoring/terminal/declare.js'
import type { Flags } from '../authoring/terminal/flags.js'
import { SETTINGS } from '../runner/settings/settings.js'
import type { TokenFlags } from './token.js'

export function declareServe({ command, settings, io }: Declarer): void {
  command(
    'serve',
    'Serve the endpoints over HTTP.',
    SETTINGS.map(row => row.flag),
  ).runs(async (flags: Flags) => (await import('./serve.js')).serve(settings(flags), io))
}

export function declareCache({ command, group, settings, io }: Declarer): void {
  const cache = group('cache', 'Stored results.')
  command(
    'purge [name]',
    'Forget the stored results of an endpoint, of those that read a table, or of all, in every replica.',
    ['--endpoints'],
    cache,
  )
    .option('--url <url>', 'ask this server, with the token in SLUICE_TOKEN; without it, purge the Redis of REDIS_URL')
    .option('--table <table>', 'with --url: those of all endpoints that read this table, such as logs.edge')
    .option('--partition <id>', 'with --table: kept buckets of this year, month, day or hour alone, such as 20261124')
    .runs(async (name: string | undefined, flags: Flags) =>
      (await import('./cache.js')).purgeCache(
        { name, table: flags['table'], partition: flags['partition'] },
        flags['url'],
        settings(flags),
        io,
      ),
    )
}

const TOKEN_FLAGS = ['--tokens', '--data']

export function declareToken({ command, group, settings, io }: Declarer): void {
  const token = group('token', 'Tokens that callers send.')
  command('create', 'Make a token; its text is shown once.', [...TOKEN_FLAGS, '--endpoints'], token)
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
    .option('--export', 'it may export whole results of endpoints that have settings.export')
    .option('--fresh <results/period>', 'how often Cache-Control: no-cache gets a fresh result: 10/min; else never')
    .runs(async (flags: TokenFlags) => (await import('./token.js')).createTokenCommand(settings(flags), flags, io))
  command('list', 'List the tokens; their texts are not kept.', TOKEN_FLAGS, token).runs(async (flags: Flags) =>
    (await import('./token.js')).listTokensCommand(settings(flags), io),
  )
  command('revoke <name>', 'Remove a token; it stops working at once.', TOKEN_FLAGS, token).runs(
    async (name: string, flags: Flags) => (await import('./token.js')).revokeTokenCommand(settings(flags), name, io),
  )
}
