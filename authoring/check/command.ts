/** The command `validate`. */
import type { Declaring } from '../terminal/declare.js'
import {
  ENGINE_FLAGS,
  type Flags,
  formatFlag,
  formatOf,
  settingFlags,
  WAREHOUSE_FLAGS,
  withSettings,
} from '../terminal/flags.js'

export function declareValidate({ command, exit, io }: Declaring): void {
  withSettings(command('validate [paths...]', 'Check manifests: schema, rules, and every variant of their SQL.'), [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
    '--price-per-tib',
  ])
    .option('--max-bytes <size>', 'with --engine bigquery: a query that would read more is an error: 100 GB')
    .addOption(formatFlag('how diagnostics are printed', 'json', 'github'))
    .option('--tables-diff', 'also compare table schemas with the tables in BigQuery')
    .option('--hints', 'say which words in columns: would give callers narrower types')
    .action(async (paths: string[], flags: Flags & { readonly tablesDiff?: true; readonly hints?: true }) => {
      const { maxBytes, tablesDiff: diffsTables = false, hints: hasHints = false } = flags
      const more = { format: formatOf(flags), maxBytes, diffsTables, hasHints }
      const { validate } = await import('./validate.js')
      exit(await validate(paths, settingFlags(flags), more, io))
    })
}
