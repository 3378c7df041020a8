/** The commands `import` and `tables`. */
import { Option } from 'commander'
import type { Declaring } from '../terminal/declare.js'
import {
  EMBEDDED_FLAGS,
  type Flags,
  formatFlag,
  formatOf,
  settingFlags,
  without,
  withSettings,
} from '../terminal/flags.js'
import type { InferFlags } from './infer.js'

export function declareImport({ command, exit, io }: Declaring): void {
  withSettings(
    command('import <table> <files...>', 'Write rows of files into the data folder, typed, sorted and partitioned.'),
    ['--tables', '--data', '--engine-threads'],
  )
    .option('--append', 'add the rows to those that the table has (what happens without a flag)')
    .option('--replace', 'make the rows the whole table')
    .option('--skip-bad <file>', 'set bad rows aside in this file, and import the others')
    .option('--ignore-unknown', 'leave out fields that the schema does not have')
    .addOption(inputFormat())
    .action(async (table: string, files: string[], flags: Readonly<Record<string, string | boolean>>) => {
      const { importRows } = await import('./import.js')
      exit(await importRows(table, files, { ...flags, ...settingFlags(flags as Flags) }, io))
    })
}

export function declareTables({ command, group, exit, io }: Declaring): void {
  const tables = group('tables', 'Tables: their schemas, their files, and the warehouse.')
  withSettings(
    command(
      'infer <table> <files...>',
      'Write the schema of a table from files of its rows: tables infer shop.orders orders.csv',
      tables,
    ),
    ['--tables', '--data'],
  )
    .option('--force', 'write over a schema that is there')
    .option('--dry-run', 'print the schema, and write nothing')
    .addOption(inputFormat())
    .action(async (table: string, files: string[], flags: Flags & InferFlags) => {
      const { inferSchema } = await import('./infer.js')
      exit(await inferSchema(table, files, flags, settingFlags(flags), io))
    })

  withSettings(
    command('list', 'List the tables: columns, rows, files, size, time; and what cannot be read.', tables),
    LOCAL_FLAGS,
  )
    .addOption(formatFlag('for people, or for tools', 'json'))
    .action(async (flags: Flags) => {
      const { listTables } = await import('./list.js')
      exit(await listTables(settingFlags(flags), flags['format'] as 'text' | 'json', io))
    })

  withSettings(
    command('describe <table>', 'Print the columns of a table with a value of each, its files, rows and time.', tables),
    LOCAL_FLAGS,
  )
    .addOption(formatFlag('for people, or for tools', 'json'))
    .action(async (table: string, flags: Flags) => {
      const { describeTable } = await import('./list.js')
      exit(await describeTable(table, settingFlags(flags), flags['format'] as 'text' | 'json', io))
    })

  withSettings(
    command('ddl [tables...]', 'Print CREATE TABLE statements of these tables, or of all that have a schema.', tables),
    ['--tables'],
  ).action(async (names: string[], flags: Flags) => {
    const { printTables } = await import('./ddl.js')
    exit(await printTables(names, settingFlags(flags), io))
  })

  withSettings(
    command('pull <dataset>', "Write the schemas of a dataset's tables in BigQuery; tells what changed.", tables),
    ['--tables', '--project'],
  ).action(async (dataset: string, flags: Flags) => {
    const { pullTables } = await import('./pull.js')
    exit(await pullTables(dataset, settingFlags(flags), io))
  })

  withSettings(command('diff [dataset]', 'Tell where schemas differ from the tables in BigQuery.', tables), [
    '--tables',
    '--functions-dir',
    '--project',
  ])
    .addOption(formatFlag('how differences are printed', 'json', 'github'))
    .action(async (dataset: string | undefined, flags: Flags) => {
      const { diffTables } = await import('./diff.js')
      exit(await diffTables(dataset, settingFlags(flags), formatOf(flags), io))
    })
}

/** The flags of commands that read local tables, whatever engine serves. */
const LOCAL_FLAGS = without(EMBEDDED_FLAGS, '--endpoints', '--functions-dir')

const inputFormat = (): Option =>
  new Option(
    '--input-format <format>',
    'the format of - (standard input) and of files whose names do not tell it: ndjson, csv, parquet, csv.gz, …',
  )
