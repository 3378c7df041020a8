/** The commands and their flags. A command loads what it runs when it runs: to load all of them takes longer than most run. */
import { existsSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { LoadError, RunnerError, SetupError, UsageError } from '../model/errors.js'
import { QueryFault } from '../model/query-fault.js'
import { ownVersion } from '../process/own-version.js'
import { SETTINGS } from '../settings/settings.js'
import type { ClientFlags } from './client/client.js'
import type { ConnectFlags } from './connect/connect.js'
import type { DiffFormat } from './diff/diff.js'
import { EXIT, type Io } from './io.js'
import type { NewFlags } from './new/new.js'
import { SHOWN_FORMATS } from './print-result.js'
import { reportDiagnostics } from './report.js'
import type { InferFlags } from './tables/infer.js'

type Flags = Readonly<Record<string, string | undefined>>
/** Flags as commander parses them: switches are booleans. */
type GivenFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** Runs a command line; resolves to the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.clean
  const program = makeProgram(io, exit => {
    code = exit
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (thrown) {
    return explainFailure(thrown, io)
  }
}

function explainFailure(thrown: unknown, io: Io): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.clean : EXIT.usage
  if (thrown instanceof UsageError) {
    for (const problem of thrown.problems) io.printError(`sluice: ${problem}\n`)
    return EXIT.usage
  }
  if (thrown instanceof LoadError) {
    reportDiagnostics(thrown.diagnostics, 'text', io)
    return EXIT.problems
  }
  if (thrown instanceof RunnerError && thrown.code === 'CALL_ABANDONED') {
    io.printError('sluice: interrupted\n')
    return EXIT.failed
  }
  if (thrown instanceof RunnerError && thrown.diagnostics.length > 0) {
    reportDiagnostics(thrown.diagnostics, 'text', io)
    return EXIT.problems
  }
  if (thrown instanceof RunnerError) {
    io.printError(
      `sluice: ${thrown.detail}${thrown.errors.map(error => `\n  ${error.parameter}: ${error.detail}`).join('')}\n`,
    )
    if (thrown.cause instanceof Error && thrown.code !== 'INTERNAL') io.printError(`  ${thrown.cause.message}\n`)
    return EXIT.problems
  }
  if (thrown instanceof QueryFault) {
    io.printError(`sluice: ${thrown.message}\n`)
    return EXIT.problems
  }
  if (thrown instanceof SetupError) {
    io.printError(`sluice: ${thrown.message}\n`)
    return EXIT.failed
  }
  io.printError(`sluice: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`)
  return EXIT.failed
}

/** All commands, with their flags; what `--help` prints and docs/reference/cli.md is generated from. */
export function makeProgram(io: Io, exit: (code: number) => void): Command {
  const program = new Command('sluice')
    .description('Saved, parameterised SQL as HTTP endpoints.')
    .version(ownVersion(), '--version', 'print the version')
    // So that a command may have a --version of its own.
    .enablePositionalOptions()
    .configureOutput({ writeOut: io.print, writeErr: io.printError })
    .exitOverride()
    .showHelpAfterError('(sluice --help lists the commands)')
  program.hook('preAction', (_, action) => {
    const { tables } = action.opts() as { readonly tables?: string }
    if (tables !== undefined && !WRITES_SCHEMAS.has(action.name()) && !existsSync(tables))
      throw new SetupError(`--tables ${tables}: there is no such folder of table schemas`)
  })
  const command = (signature: string, description: string, parent = program): Command => {
    const made = parent
      .command(signature)
      .description(description)
      .exitOverride()
      .configureOutput({ writeOut: io.print, writeErr: io.printError })
    const path = parent === program ? `sluice ${made.name()}` : `sluice ${parent.name()} ${made.name()}`
    const note = WRITTEN_AS[made.name()]
    return made.showHelpAfterError(
      `(${note === undefined ? '' : `${note}; `}usage: ${path} ${made.usage()}; ${path} --help lists the flags)`,
    )
  }

  const group = (name: string, description: string): Command =>
    command(name, description).showHelpAfterError(`(sluice ${name} --help lists its commands)`)

  command(
    'init <dir>',
    'Make a folder with an endpoint that answers, its table and data, a package.json and a workflow.',
  ).action(async (dir: string) => {
    const { initFolder } = await import('./init/init.js')
    exit(await initFolder(dir, io))
  })

  withSettings(
    command(
      'new [name]',
      'Write a manifest and its test: over a table, from a query, or as answers at a terminal say.',
    ),
    NEW_FLAGS,
  )
    .option('--table <table>', 'the table whose rows it gives')
    .option('--time <column>', 'the column with the time of a row: newest first, and from when until when')
    .option('--tenant <column>', 'the column with the tenant of a row: calls give only the rows of theirs')
    .option('--interval', 'count the rows in buckets of time instead')
    .option('--from-sql <file>', 'a query with @parameters instead of a table; - is standard input')
    .action(async (name: string | undefined, flags: GivenFlags) => {
      const { newEndpoint } = await import('./new/new.js')
      exit(await newEndpoint(name, flags as NewFlags, settingFlags(flags), io))
    })

  withSettings(
    command('serve', 'Serve the endpoints over HTTP.'),
    SETTINGS.map(row => row.flag),
  ).action(async (flags: Flags) => {
    const { serve } = await import('./serve.js')
    exit(await serve(settingFlags(flags), io))
  })

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
    .option('--tables-diff', 'hold table schemas against the tables in BigQuery too')
    .option('--hints', 'say which words in columns: would give callers narrower types')
    .action(async (paths: string[], flags: Flags & { readonly tablesDiff?: true; readonly hints?: true }) => {
      const { maxBytes, tablesDiff: diffsTables = false, hints: hasHints = false } = flags
      const more = { format: formatOf(flags), maxBytes, diffsTables, hasHints }
      const { validate } = await import('./validate.js')
      exit(await validate(paths, settingFlags(flags), more, io))
    })

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
      const { testEndpoints } = await import('./test/run-tests.js')
      exit(await testEndpoints(paths, settingFlags(flags), flags as Flags, io))
    })

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
      const { diffRevisions } = await import('./diff/diff.js')
      const more = { format: flags['format'] as DiffFormat, allowBreaking: flags.allowBreaking === true }
      exit(await diffRevisions(base, head, settingFlags(flags), more, io))
    })

  withSettings(
    command('fuzz <name>', 'Call an endpoint as strangers would, and print each call that fails as a test.'),
    FUZZ_FLAGS,
  )
    .option('--seed <number>', 'the same seed makes the same calls', '1')
    .option('--count <calls>', 'make so many calls; every bound of every parameter is tried in any case', '1000')
    .option('--now <time>', "freeze the clock at this ISO 8601 time; else it is that of the endpoint's tests")
    .action(async (name: string, flags: Flags) => {
      const { fuzz } = await import('./fuzz.js')
      exit(await fuzz(name, settingFlags(flags), flags, io))
    })

  withSettings(
    command(
      'call <name> [arguments...]',
      'Run one endpoint in this process: call logs.all project=abc project_tier=PRO',
    ),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--price-per-tib', '--strict'],
  )
    .addOption(shownFormat())
    .option('--now <time>', 'freeze the clock at this ISO 8601 time')
    .option('--explain', 'print the variant, the SQL of both engines, the arguments, the plan and timings')
    .option('--dry-run', DRY_RUN)
    .action(async (name: string, args: string[], flags: Flags) => {
      const { callEndpoint } = await import('./call.js')
      exit(await callEndpoint(name, args, { ...flags, ...settingFlags(flags) }, io))
    })

  withSettings(
    command(
      'compare [name] [arguments...]',
      'Run a call, or with --all every one, on both engines and tell where results differ: compare logs.all project=abc',
    ),
    COMPARE_FLAGS,
  )
    .option('--all', 'every endpoint, or the one that is named: all lookup rows, examples, optional parameters')
    .addOption(new Option('--format <format>', 'how differences are printed').choices(['text', 'json']).default('text'))
    .option('--now <time>', 'freeze the clock at this ISO 8601 time')
    .option('--rows <rows>', 'print at most so many differing rows of a call', '5')
    .option('--max-calls <calls>', 'with --all: make at most so many calls of an endpoint', '100')
    .option('--unordered', 'take the same rows in another order for the same result')
    .option('--float-digits <digits>', 'take fractions for equal that are so to this many digits; else exactly')
    .action(async (name: string | undefined, args: string[], flags: Flags) => {
      const { compareEngines } = await import('./compare/compare.js')
      exit(await compareEngines(name === undefined ? [] : [name, ...args], { ...settingFlags(flags), ...flags }, io))
    })

  withSettings(
    command('openapi', 'Print the OpenAPI document of the endpoints, as GET /openapi.json gives it; needs no server.'),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--public-url'],
  )
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
    .action(async (flags: Flags & { readonly allow?: readonly string[]; readonly pin?: readonly string[] }) => {
      const { printOpenApi } = await import('./openapi.js')
      exit(await printOpenApi(settingFlags(flags), flags, io))
    })

  withSettings(
    command('query [sql]', "Run BigQuery SQL over the embedded engine's tables; - or none reads standard input."),
    [...ENGINE_FLAGS, '--project', '--location', '--dataset', '--price-per-tib'],
  )
    .option('--file <file>', 'read the SQL from this file')
    .option(
      '-p, --parameter <name=value>',
      'bind a parameter: name=value, or name:TYPE=value',
      (one: string, all: string[]) => [...all, one],
      [],
    )
    .addOption(shownFormat())
    .option('--max-rows <rows>', 'print at most so many rows', '1000')
    .option('--timeout <seconds>', 'give up after so long', '300')
    .option('--explain', 'print the SQL that the engine runs, its plan and timings')
    .option('--dry-run', DRY_RUN)
    .option('--functions', 'list the functions of the language instead, and those that are refused')
    .action(async (sql: string | undefined, flags: Flags & { parameter: readonly string[] }) => {
      const { runQuery } = await import('./query.js')
      exit(await runQuery(sql, { ...settingFlags(flags), ...flags }, io))
    })

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
      const { importFiles } = await import('./import.js')
      exit(await importFiles(table, files, { ...flags, ...settingFlags(flags as Flags) }, io))
    })

  withSettings(command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.'), [
    ...['--endpoints', '--tables', '--functions-dir', '--data', '--database', '--project', '--dataset'],
    ...['--engine-memory', '--engine-threads'],
  ])
    .option('--stdio', 'speak over standard input and output, which it always does')
    .action(async (flags: GivenFlags) => {
      const { serveEditor } = await import('./lsp.js')
      await serveEditor(settingFlags(flags), ownVersion(), io)
    })

  withSettings(command('sample', 'Write realistic log entries for all nine streams, ending now.'), ['--data'])
    .option('--count <entries>', 'entries of each stream', '10000')
    .option('--seed <number>', 'the same seed gives the same entries', '1')
    .option('--now <time>', 'ISO 8601 time of the newest entry')
    .option('--once', 'do nothing when there are log files already')
    .action(async (flags: Flags) => {
      const { writeSample } = await import('./sample.js')
      exit(await writeSample(settingFlags(flags), flags, io))
    })

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
      const { inferSchema } = await import('./tables/infer.js')
      exit(await inferSchema(table, files, flags, settingFlags(flags), io))
    })
  withSettings(
    command('list', 'List the tables: columns, rows, files, size, time; and what of them cannot be read.', tables),
    LOCAL_FLAGS,
  )
    .addOption(shownAs())
    .action(async (flags: Flags) => {
      const { listTables } = await import('./tables/list.js')
      exit(await listTables(settingFlags(flags), flags['format'] as 'text' | 'json', io))
    })
  withSettings(
    command('describe <table>', 'Print the columns of a table with a value of each, its files, rows and time.', tables),
    LOCAL_FLAGS,
  )
    .addOption(shownAs())
    .action(async (table: string, flags: Flags) => {
      const { describeTable } = await import('./tables/list.js')
      exit(await describeTable(table, settingFlags(flags), flags['format'] as 'text' | 'json', io))
    })
  withSettings(
    command('ddl [tables...]', 'Print CREATE TABLE statements of these tables, or of all that have a schema.', tables),
    ['--tables'],
  ).action(async (names: string[], flags: Flags) => {
    const { printTables } = await import('./tables/ddl.js')
    exit(await printTables(names, settingFlags(flags), io))
  })
  withSettings(
    command('pull <dataset>', "Write the schemas of a dataset's tables in BigQuery; tells what changed.", tables),
    ['--tables', '--project'],
  ).action(async (dataset: string, flags: Flags) => {
    const { pullTables } = await import('./tables/pull.js')
    exit(await pullTables(dataset, settingFlags(flags), io))
  })
  withSettings(command('diff [dataset]', 'Tell what schemas say otherwise than the tables in BigQuery.', tables), [
    '--tables',
    '--functions-dir',
    '--project',
  ])
    .addOption(
      new Option('--format <format>', 'how differences are printed')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .action(async (dataset: string | undefined, flags: Flags) => {
      const { diffTables } = await import('./tables/diff.js')
      exit(await diffTables(dataset, settingFlags(flags), formatOf(flags), io))
    })

  withSettings(command('client', 'Write a typed client of the endpoints, as one file without dependencies.'), [
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
      'as for a token with this pin: without the parameter, and without endpoints that have none',
    )
    .option('--out <file>', 'write this file; else the client is printed')
    .option('--check', 'write nothing; end with 1 and tell what differs if the file is not what would be written')
    .action(async (flags: Flags & ClientFlags) => {
      const { writeClient } = await import('./client/client.js')
      exit(await writeClient(flags, settingFlags(flags), io))
    })

  withSettings(
    command(
      'connect <tool> [name] [arguments...]',
      'Print what a tool needs to call an endpoint: connect curl logs.all project=abc. Tools are curl, fetch, ts, python, duckdb, grafana, excel, sheets, observable and mcp.',
    ),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--public-url'],
  )
    .option('--url <url>', 'where the tool reaches the server')
    .option('--all', 'with grafana: write a folder that provisions a data source, and a dashboard for each endpoint')
    .option('--out <dir>', 'with --all: the folder; else grafana')
    .action(async (tool: string, name: string | undefined, args: string[], flags: Flags & ConnectFlags) => {
      const { connectTool } = await import('./connect/connect.js')
      exit(await connectTool(tool, name === undefined ? [] : [name, ...args], flags, settingFlags(flags), io))
    })

  withSettings(
    command('mcp', 'Serve the endpoints here as tools to an agent, over standard input and output; needs no server.'),
    MCP_FLAGS,
  ).action(async (flags: Flags) => {
    const { serveAgent } = await import('./mcp.js')
    exit(await serveAgent(settingFlags(flags), io))
  })

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

  const token = group('token', 'Tokens that callers send.')
  const tokenFlags = ['--tokens', '--data']
  withSettings(command('create', 'Make a token; its text is shown once.', token), [...tokenFlags, '--endpoints'])
    .requiredOption('--name <name>', 'how it is called in the file and in logs')
    .requiredOption('--allow <pattern...>', 'endpoints it may call: names, where * stands for any characters')
    .option('--pin <name=value...>', 'run every call with this argument, and refuse any other')
    .option('--all-tenants', 'it may call endpoints of tenants without pinning the tenant')
    .option('--expires <period>', 'how long it is valid: 90d, 12h')
    .option('--rate <calls/period>', 'how often it may call: 100/min')
    .option('--bytes-per-day <size>', 'what its queries may be billed for on BigQuery in a day: 100 GB')
    .option('--purge', 'it may have stored results forgotten')
    .option('--explain', 'it may see the SQL that its calls run: for authors')
    .option('--fresh <results/period>', 'how often Cache-Control: no-cache gets a fresh result: 10/min; else never')
    .action(async (flags: Flags) => {
      const { createTokenCommand } = await import('./token.js')
      exit(await createTokenCommand(settingFlags(flags), flags, io))
    })
  withSettings(command('list', 'List the tokens; their texts are not kept.', token), tokenFlags).action(
    async (flags: Flags) => {
      const { listTokensCommand } = await import('./token.js')
      exit(await listTokensCommand(settingFlags(flags), io))
    },
  )
  withSettings(command('revoke <name>', 'Remove a token; it stops working at once.', token), tokenFlags).action(
    async (name: string, flags: Flags) => {
      const { revokeTokenCommand } = await import('./token.js')
      exit(await revokeTokenCommand(settingFlags(flags), name, io))
    },
  )
  return program
}

/** How the arguments of a command are written, where newcomers write them otherwise. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  call: "an endpoint's arguments are written name=value, without dashes",
  connect: "an endpoint's arguments are written name=value, without dashes",
  compare: "an endpoint's arguments are written name=value, without dashes",
  query: 'the SQL is one argument: put it in quotes',
}

const MCP_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--data',
  '--database',
  '--project',
  '--dataset',
  '--engine-memory',
  '--engine-threads',
  '--mcp-max-bytes',
  '--log-level',
]

const ENGINE_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--data',
  '--database',
  '--engine',
  '--engine-memory',
  '--engine-threads',
]

/** What reads local tables, whatever `--engine` serves. */
const LOCAL_FLAGS = [
  ...ENGINE_FLAGS.filter(flag => !['--engine', '--endpoints', '--functions-dir'].includes(flag)),
  '--project',
  '--dataset',
]

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

const WAREHOUSE_FLAGS = ['--project', '--location', '--dataset', '--max-bytes-billed', '--reservation']

/** `compare` opens both engines, so it has no `--engine` and ignores SLUICE_ENGINE. */
const COMPARE_FLAGS = [...ENGINE_FLAGS.filter(flag => flag !== '--engine'), ...WAREHOUSE_FLAGS]

function withSettings(command: Command, names: readonly (string | null)[]): Command {
  for (const row of SETTINGS) {
    if (row.flag === null || !names.includes(row.flag)) continue
    const fallback = row.default === '' ? '' : `, else ${row.default}`
    const unit = row.unit === '' ? 'value' : row.unit
    const value = row.isSwitch ? '' : ` <${unit}>`
    command.option(`${row.flag}${value}`, `${row.description} (or ${row.variable}${fallback})`)
  }
  return command
}

/** The commands that make the folder of table schemas. */
const WRITES_SCHEMAS: ReadonlySet<string> = new Set(['infer', 'pull', 'sample'])

/** Commander's camelCase names back to the settings' own. */
function settingFlags(flags: GivenFlags): Flags {
  const known = SETTINGS.flatMap(row => {
    const name = row.flag?.slice(2)
    const value = name && flags[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return name && (typeof value === 'string' || value === true) ? [[name, String(value)] as const] : []
  })
  return Object.fromEntries(known)
}

const DRY_RUN =
  'print what would be read, without running the query: files, partitions and bytes; on BigQuery bytes and their price'

const shownFormat = (): Option =>
  new Option('--format <format>', 'what is printed: text is a table for people, others are the bytes that HTTP sends')
    .choices(SHOWN_FORMATS)
    .default('text')

const inputFormat = (): Option =>
  new Option(
    '--input-format <format>',
    'the format of - (standard input) and of files whose names do not tell it: ndjson, csv, parquet, csv.gz, …',
  )

const shownAs = (): Option =>
  new Option('--format <format>', 'for people, or for tools').choices(['text', 'json']).default('text')

const formatOf = (flags: Flags): 'text' | 'json' | 'github' => flags['format'] as 'text' | 'json' | 'github'
