/** The command `client`. */
import { Option } from 'commander'
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, WAREHOUSE_FLAGS } from '../terminal/flags.js'
import type { ClientFlags } from './client.js'

export function declareClient({ command, settings, io }: Declarer): void {
  command('client', 'Write a typed client of the endpoints, as one file without dependencies.', [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
  ])
    .addOption(
      new Option('--lang <language>', 'the language of the client').choices(['ts', 'python']).makeOptionMandatory(),
    )
    .option(
      '--url <url>',
      'take the endpoints of this server, with the token in SLUICE_TOKEN; else those of the manifests',
    )
    .option('--allow <pattern...>', 'only endpoints of these names, where * stands for any characters')
    .option(
      '--pin <name=value...>',
      'write the client for a token with this pin: leave out this parameter, and every endpoint that does not have it',
    )
    .option('--out <file>', 'write this file; else the client is printed')
    .option('--check', 'write nothing; if the file is out of date, tell what differs and end with 1')
    .runs(async (flags: ClientFlags) => (await import('./client.js')).writeClient(settings(flags), flags, io))
}
