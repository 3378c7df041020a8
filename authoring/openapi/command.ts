/** The command `openapi`. */
import { Option } from 'commander'
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, WAREHOUSE_FLAGS } from '../terminal/flags.js'
import type { OpenApiFlags } from './openapi.js'

export function declareOpenApi({ command, settings, io }: Declarer): void {
  command('openapi', 'Print the OpenAPI document of the endpoints, as GET /openapi.json gives it; needs no server.', [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
    '--public-url',
  ])
    .option(
      '--allow <pattern...>',
      'only endpoints that a token of these patterns may call: names, where * stands for any characters',
    )
    .option('--pin <name=value...>', 'without these parameters, as for a token that pins them')
    .addOption(new Option('--version <version>', 'the version of OpenAPI').choices(['3.1', '3.0']).default('3.1'))
    .option('--url <url>', 'where callers reach the server')
    .option(
      '--examples',
      'first write <name>.example.json beside each manifest: two rows of the local data; pins are arguments',
    )
    .option('--now <time>', 'with --examples: freeze the clock at this ISO 8601 time')
    .runs(async (flags: OpenApiFlags & { readonly url?: string }) => {
      const allFlags = flags.url === undefined ? flags : { ...flags, publicUrl: flags.url }
      return (await import('./openapi.js')).printOpenApi(settings(allFlags), flags, io)
    })
}
