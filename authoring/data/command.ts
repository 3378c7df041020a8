/** The commands `import` and `tables`. */
import { type Command, Option } from 'commander'
import type { Declarer } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type Flags, type FormatFlags, formatFlag, without } from '../terminal/flags.js'
import type { ImportFlags } from './import.js'
import type { InferFlags } from './infer.js'

export function declareImport({ command, settings, io }: Declarer): void {
  withTextFormFlags(
    command('import <table> <files...>', 'Write rows of files into the data folder, typed, sorted and partitioned.', [
      '--tables',
      '--data',
      '--engine-threads',
    ]),
  )
    .option('--append', 'add the rows to those that the table has (what happens without a flag)')
    .option('--replace', 'make the rows the whole table')
    .option('--skip-bad <file>', 'set bad rows aside in this file, and import the others')
    .option('--ignore-unknown', 'leave out fields that the schema does not have')
    .addOption(inputFormat())
    .runs(async (table: string, files: string[], flags: ImportFlags) =>
      (await import('./import.js')).importRows(table, files, settings(flags), flags, io),
    )
}

export function declareTables({ command, group, settings, io }: Declarer): void {
  const tables = group('tables', 'Tables: their schemas, their files, and the warehouse.')
  withTextFormFlags(
    command(
      'infer <table> <files...>',
      'Write the schema of a table from files of its rows: tables infer shop.orders orders.csv',
      ['--tables', '--data'],
      tables,
    ),
  )
    .option('--force', 'write over a schema that is there')
    .option('--dry-run', 'print the schema, and write nothing')
    .option('--json <path...>', 'make these columns and fields JSON: --json labels request.headers')
    .addOption(inputFormat())
    .runs(async (table: string, files: string[], flags: InferFlags) =>
      (await import('./infer.js')).inferSchema(table, files, settings(flags), flags, io),
    )

  command('list', 'List the tables: columns, rows, files, size, time; and what cannot be read.', LOCAL_FLAGS, tables)
    .addOption(formatFlag('for people, or for tools', 'json'))
    .runs(async (flags: FormatFlags) => (await import('./list.js')).listTables(settings(flags), flags.format, io))

  command(
    'describe <table>',
    'Print the columns of a table with a value of each, its files, rows and time.',
    LOCAL_FLAGS,
    tables,
  )
    .addOption(formatFlag('for people, or for tools', 'json'))
    .runs(async (table: string, flags: FormatFlags) =>
      (await import('./list.js')).describeTable(table, settings(flags), flags.format, io),
    )

  command(
    'ddl [tables...]',
    'Print CREATE TABLE statements of these tables, or of all that have a schema.',
    ['--tables'],
    tables,
  ).runs(async (names: string[], flags: Flags) => (await import('./ddl.js')).printTables(names, settings(flags), io))

  command(
    'pull <dataset>',
    "Write the schemas of a dataset's tables in BigQuery; tells what changed.",
    ['--tables', '--project'],
    tables,
  ).runs(async (dataset: string, flags: Flags) => (await import('./pull.js')).pullTables(dataset, settings(flags), io))

  command(
    'diff [dataset]',
    'Tell where schemas differ from the tables in BigQuery.',
    ['--tables', '--functions-dir', '--project'],
    tables,
  )
    .addOption(formatFlag('how differences are printed', 'json', 'github'))
    .runs(async (dataset: string | undefined, flags: FormatFlags) =>
      (await import('./diff.js')).diffTables(dataset, settings(flags), flags.format, io),
    )
}

/** The flags of commands that read local tables, whatever engine serves. */
const LOCAL_FLAGS = without(EMBEDDED_FLAGS, '--endpoints', '--functions-dir')

const inputFormat = (): Option =>
  new Option(
    '--input-format <format>',
    'the format of - (standard input) and of files whose names do not tell it: ndjson, csv, parquet, csv.gz, …',
  )

/** The flags of `textFormOfFlags`. */
function withTextFormFlags<C extends Command>(command: C): C {
  return command
    .option('--delimiter <character>', "CSV: the character between cells, such as ';', or tab")
    .option(
      '--encoding <name>',
      'CSV: how characters are encoded: UTF-8, ISO-8859-1, UTF-16LE, UTF-16BE or Windows-1252',
    )
    .option('--skip-rows <line>', 'CSV: the number of the line with the header; 0: there is no header')
    .option(
      '--null <word>',
      'CSV: a cell that is NULL, beside the empty cell; may stand several times',
      (word: string, words: readonly string[] = []) => [...words, word],
    )
    .option('--decimal-comma', 'CSV: numbers are written like 1.234,50')
    .option('--rows <name>', 'JSON: the member with the list of the rows, where each file is one document')
}
