/** The commands with which authors write and check endpoints. */
import { Option } from 'commander'
import { ownVersion } from '../../runner/platform/own-version.js'
import type { DiffFormat } from '../diff/diff.js'
import type { Declaring } from '../terminal/declare.js'
import {
  ENGINE_FLAGS,
  type Flags,
  formatOf,
  type GivenFlags,
  settingFlags,
  WAREHOUSE_FLAGS,
  withSettings,
} from '../terminal/flags.js'
import type { NewFlags } from '../write/new.js'

export function declareInit({ command, exit, io }: Declaring): void {
  command(
    'init <dir>',
    'Make a folder with an endpoint that answers, its table and data, a package.json and a workflow.',
  ).action(async (dir: string) => {
    const { initFolder } = await import('../write/init.js')
    exit(await initFolder(dir, io))
  })
}

export function declareNew({ command, exit, io }: Declaring): void {
  withSettings(
    command(
      'new [name]',
      'Write a manifest and its test: over a table, from a query, or as answers at a terminal say.',
    ),
    NEW_FLAGS,
  )
    .option('--table <table>', 'the table whose rows it gives')
    .option('--time <column>', 'the column with the time of a row: newest first, and from when until when')
    .option('--tenant <column>', 'the column with the tenant of a row: a call gives only the rows of its tenant')
    .option('--interval', 'count the rows in buckets of time instead')
    .option('--from-sql <file>', 'a query with @parameters instead of a table; - is standard input')
    .action(async (name: string | undefined, flags: GivenFlags) => {
      const { newEndpoint } = await import('../write/new.js')
      exit(await newEndpoint(name, flags as NewFlags, settingFlags(flags), io))
    })
}

export function declareValidate({ command, exit, io }: Declaring): void {
  withSettings(command('validate [paths...]', 'Check manifests: schema, rules, and every variant of their SQL.'), [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
    '--price-per-tib',
  ])
    .option('--max-bytes <size>', 'with --engine bigquery: a query that would read more is an error: 100 GB')
    .addOption(
      new Option('--format <format>', 'how diagnostics are printed')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .option('--tables-diff', 'also compare table schemas with the tables in BigQuery')
    .option('--hints', 'say which words in columns: would give callers narrower types')
    .action(async (paths: string[], flags: Flags & { readonly tablesDiff?: true; readonly hints?: true }) => {
      const { maxBytes, tablesDiff: diffsTables = false, hints: hasHints = false } = flags
      const more = { format: formatOf(flags), maxBytes, diffsTables, hasHints }
      const { validate } = await import('../check/validate.js')
      exit(await validate(paths, settingFlags(flags), more, io))
    })
}

export function declareTest({ command, exit, io }: Declaring): void {
  withSettings(
    command('test [paths...]', 'Run the tests beside manifests, <name>.test.yaml, over the rows that they have.'),
    TEST_FLAGS,
  )
    .option('--name <name>', 'run only the tests of this name')
    .option('--watch', 'run again after each change of a file, until the process is asked to end')
    .option('--update', 'write what calls give into rows, rows_unordered, count, columns and truncated')
    .option('--coverage', 'name the variants, lookup rows and template branches that no test runs')
    .option('--min-coverage <percent>', 'end with 1 where the coverage is less: 100')
    .addOption(
      new Option('--format <format>', 'how results are printed')
        .choices(['text', 'junit', 'github', 'json'])
        .default('text'),
    )
    .action(async (paths: string[], flags: GivenFlags) => {
      const { testEndpoints } = await import('../test/run-tests.js')
      exit(await testEndpoints(paths, settingFlags(flags), flags as Flags, io))
    })
}

export function declareDiff({ command, exit, io }: Declaring): void {
  withSettings(
    command('diff <base> [head]', 'Tell what changed between two git revisions or folders, and what breaks callers.'),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--price-per-tib'],
  )
    .option('--allow-breaking', 'end with 0 although a change breaks callers')
    .addOption(
      new Option('--format <format>', 'how changes are printed; markdown fits a comment of a pull request')
        .choices(['text', 'markdown', 'json'])
        .default('text'),
    )
    .action(async (base: string, head: string | undefined, flags: Flags & { readonly allowBreaking?: true }) => {
      const { diffRevisions } = await import('../diff/diff.js')
      const more = { format: flags['format'] as DiffFormat, allowBreaking: flags.allowBreaking === true }
      exit(await diffRevisions(base, head, settingFlags(flags), more, io))
    })
}

export function declareFuzz({ command, exit, io }: Declaring): void {
  withSettings(
    command('fuzz <name>', 'Call an endpoint as strangers would, and print each call that fails as a test.'),
    FUZZ_FLAGS,
  )
    .option('--seed <number>', 'the same seed makes the same calls', '1')
    .option('--count <calls>', 'make this many calls; every bound of every parameter is tried in any case', '1000')
    .option('--now <time>', "freeze the clock at this ISO 8601 time; else it is that of the endpoint's tests")
    .action(async (name: string, flags: Flags) => {
      const { fuzz } = await import('../test/fuzz/command.js')
      exit(await fuzz(name, settingFlags(flags), flags, io))
    })
}

export function declareLsp({ command, io }: Declaring): void {
  withSettings(command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.'), [
    ...['--endpoints', '--tables', '--functions-dir', '--data', '--database', '--project', '--dataset'],
    ...['--engine-memory', '--engine-threads'],
  ])
    .option('--stdio', 'speak over standard input and output, which it always does')
    .action(async (flags: GivenFlags) => {
      const { serveEditor } = await import('../editor/lsp.js')
      await serveEditor(settingFlags(flags), ownVersion(), io)
    })
}

const NEW_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--data',
  '--engine-memory',
  '--engine-threads',
  '--project',
  '--dataset',
]

/** Tests never read a data folder. */
const EMBEDDED_TEST_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--engine-memory',
  '--engine-threads',
  '--project',
  '--dataset',
]
const TEST_FLAGS = [...EMBEDDED_TEST_FLAGS, '--engine', '--location', '--max-bytes-billed', '--reservation']

/** Fuzzing is for the embedded engine. */
const FUZZ_FLAGS = [...EMBEDDED_TEST_FLAGS, '--data', '--database']
