/** The commands `call` and `query`. */
import { Option } from 'commander'
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, WAREHOUSE_FLAGS } from '../terminal/flags.js'
import { SHOWN_FORMATS } from '../terminal/print-result.js'
import type { CallFlags } from './call.js'
import type { QueryFlags } from './query.js'

export function declareCall({ command, settings, io }: Declarer): void {
  command(
    'call <name> [arguments...]',
    'Run one endpoint in this process: call logs.all project=abc project_tier=PRO',
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--price-per-tib', '--strict'],
  )
    .addOption(shownFormat())
    .option('--export <file>', 'write all rows, beyond max_rows, to this file; its ending or --format names the format')
    .option('--now <time>', 'freeze the clock at this ISO 8601 time')
    .option('--page-size <rows>', 'print the first page, with this many rows; standard error says how to go on')
    .option('--cursor <cursor>', 'print the page after the one that showed this cursor')
    .option('--all', 'print the whole result, as without --page-size')
    .option('--explain', 'print the variant, the SQL of both engines, the arguments, the plan and timings')
    .option('--dry-run', DRY_RUN)
    .runs(async (name: string, args: string[], flags: CallFlags) =>
      (await import('./call.js')).callEndpoint(name, args, settings(flags), flags, io),
    )
}

export function declareQuery({ command, settings, io }: Declarer): void {
  command(
    'query [sql]',
    "Run BigQuery SQL over the embedded engine's tables. Without SQL, or with -, it is read from standard input.",
    [...ENGINE_FLAGS, '--project', '--location', '--dataset', '--price-per-tib'],
  )
    .option('--file <file>', 'read the SQL from this file')
    .option(
      '-p, --parameter <name=value>',
      'bind a parameter: name=value, or name:TYPE=value',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .addOption(shownFormat())
    .option('--max-rows <rows>', 'print at most this many rows', '1000')
    .option('--timeout <seconds>', 'give up after this long', '300')
    .option('--explain', 'print the SQL that the engine runs, its plan and timings')
    .option('--dry-run', DRY_RUN)
    .option('--functions', 'list the functions of the language instead, and those that are refused')
    .runs(async (sql: string | undefined, flags: QueryFlags) =>
      flags.functions
        ? (await import('./functions.js')).printFunctions(sql, flags, io)
        : (await import('./query.js')).runQuery(sql, settings(flags), flags, io),
    )
}

const DRY_RUN =
  'print what would be read, without running the query: files, partitions and bytes; on BigQuery bytes and their price'

const shownFormat = (): Option =>
  new Option('--format <format>', 'what is printed: text is a table for people, others are the bytes that HTTP sends')
    .choices(SHOWN_FORMATS)
    .default('text')
