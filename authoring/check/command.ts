/** The command `validate`. */
import { Option } from 'commander'
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, formatFlag, WAREHOUSE_FLAGS } from '../terminal/flags.js'
import type { ValidateFlags } from './validate.js'

export function declareValidate({ command, settings, io }: Declarer): void {
  command('validate [paths...]', 'Check manifests: schema, rules, and every variant of their SQL.', [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
    '--price-per-tib',
  ])
    .option(
      '--max-bytes <size>',
      'with --engine bigquery: report an error for a query that would read more than this, for example "100 GB"',
    )
    .addOption(formatFlag('how diagnostics are printed', 'json', 'github'))
    .option('--tables-diff', 'also compare table schemas with the tables in BigQuery')
    .option('--hints', 'suggest keys for `columns:` that would give callers narrower types')
    .addOption(
      new Option('--explain <what>', 'for each variant, say what a refresh keeps, or why it reads all rows').choices([
        'refresh',
      ]),
    )
    .runs(async (paths: string[], flags: ValidateFlags) =>
      (await import('./validate.js')).validate(paths, settings(flags), flags, io),
    )
}
