/** The commands and their flags. */
import { Command, CommanderError, Option } from 'commander'
import { LoadError, RunnerError, SetupError, UsageError } from '../model/errors.js'
import { QueryFault } from '../model/query-fault.js'
import { SETTINGS } from '../settings.js'
import { callEndpoint } from './call.js'
import { EXIT, type Io } from './io.js'
import { runQuery } from './query.js'
import { reportDiagnostics } from './report.js'
import { writeSample } from './sample.js'
import { serve } from './serve.js'
import { createTokenCommand, listTokensCommand, revokeTokenCommand } from './token.js'
import { validate } from './validate.js'

type Flags = Readonly<Record<string, string | undefined>>

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
    for (const problem of thrown.problems) io.complain(`sluice: ${problem}\n`)
    return EXIT.usage
  }
  if (thrown instanceof LoadError) {
    reportDiagnostics(thrown.diagnostics, 'text', io)
    return EXIT.problems
  }
  if (thrown instanceof RunnerError) {
    io.complain(
      `sluice: ${thrown.detail}${thrown.errors.map(error => `\n  ${error.parameter}: ${error.detail}`).join('')}\n`,
    )
    if (thrown.cause instanceof QueryFault) io.complain(`  ${thrown.cause.message}\n`)
    return EXIT.problems
  }
  if (thrown instanceof QueryFault) {
    io.complain(`sluice: ${thrown.message}\n`)
    return EXIT.problems
  }
  if (thrown instanceof SetupError) {
    io.complain(`sluice: ${thrown.message}\n`)
    return EXIT.failed
  }
  io.complain(`sluice: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`)
  return EXIT.failed
}

function makeProgram(io: Io, exit: (code: number) => void): Command {
  const program = new Command('sluice')
    .description('Saved, parameterised SQL as HTTP endpoints.')
    .configureOutput({ writeOut: io.print, writeErr: io.complain })
    .exitOverride()
    .showHelpAfterError('(--help lists what there is)')
  const command = (signature: string, description: string, parent = program): Command =>
    parent
      .command(signature)
      .description(description)
      .exitOverride()
      .configureOutput({ writeOut: io.print, writeErr: io.complain })

  withSettings(
    command('serve', 'Serve the endpoints over HTTP.'),
    SETTINGS.map(row => row.flag),
  ).action(async (flags: Flags) => exit(await serve(settingFlags(flags), io)))

  withSettings(
    command('validate [paths...]', 'Check manifests: schema, rules, and every variant of their SQL.'),
    ENGINE_FLAGS,
  )
    .addOption(
      new Option('--format <format>', 'how diagnostics are printed')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .action(async (paths: string[], flags: Flags) =>
      exit(await validate(paths, settingFlags(flags), formatOf(flags), io)),
    )

  withSettings(
    command(
      'call <name> [arguments...]',
      'Run one endpoint in this process: call logs.all project=abc project_tier=PRO',
    ),
    ENGINE_FLAGS,
  )
    .addOption(
      new Option('--format <format>', 'what is printed').choices(['table', 'json', 'ndjson', 'csv']).default('table'),
    )
    .option('--now <time>', 'freeze the clock at this ISO 8601 time')
    .option('--explain', 'print the variant, the SQL of both engines, the arguments, the plan and timings')
    .action(async (name: string, args: string[], flags: Flags) =>
      exit(await callEndpoint(name, args, { ...settingFlags(flags), ...flags }, io)),
    )

  withSettings(command('query <sql>', "Run BigQuery SQL over the embedded engine's tables."), ENGINE_FLAGS)
    .option(
      '-p, --parameter <name=value>',
      'bind a parameter: name=value, or name:TYPE=value',
      (one: string, all: string[]) => [...all, one],
      [],
    )
    .addOption(
      new Option('--format <format>', 'what is printed').choices(['table', 'json', 'ndjson', 'csv']).default('table'),
    )
    .option('--max-rows <rows>', 'print at most so many rows', '1000')
    .option('--explain', 'print the SQL that the engine runs, its plan and timings')
    .action(async (sql: string, flags: Flags & { parameter: readonly string[] }) =>
      exit(await runQuery(sql, { ...settingFlags(flags), ...flags }, io)),
    )

  withSettings(command('sample', 'Write realistic log entries for all nine streams, ending now.'), ['--data'])
    .option('--count <entries>', 'entries of each stream', '10000')
    .option('--seed <number>', 'the same seed gives the same entries', '1')
    .option('--now <time>', 'ISO 8601 time of the newest entry')
    .option('--once', 'do nothing when there are log files already')
    .action(async (flags: Flags) => exit(await writeSample(settingFlags(flags), flags, io)))

  const token = command('token', 'Tokens that callers send.')
  const tokenFlags = ['--tokens', '--data']
  withSettings(command('create', 'Make a token; its text is shown once.', token), tokenFlags)
    .requiredOption('--name <name>', 'how it is called in the file and in logs')
    .requiredOption('--allow <pattern...>', 'endpoints it may call: names, where * stands for any characters')
    .option('--pin <name=value...>', 'run every call with this argument, and refuse any other')
    .option('--expires <period>', 'how long it is valid: 90d, 12h')
    .option('--rate <calls/period>', 'how often it may call: 100/min')
    .action(async (flags: Flags) => exit(await createTokenCommand(settingFlags(flags), flags, io)))
  withSettings(command('list', 'List the tokens; their texts are not kept.', token), tokenFlags).action(
    async (flags: Flags) => exit(await listTokensCommand(settingFlags(flags), io)),
  )
  withSettings(command('revoke <name>', 'Remove a token; it stops working at once.', token), tokenFlags).action(
    async (name: string, flags: Flags) => exit(await revokeTokenCommand(settingFlags(flags), name, io)),
  )
  return program
}

const ENGINE_FLAGS = [
  '--endpoints',
  '--tables',
  '--data',
  '--database',
  '--engine',
  '--engine-memory',
  '--engine-threads',
]

function withSettings(command: Command, names: readonly (string | null)[]): Command {
  for (const row of SETTINGS) {
    if (row.flag === null || !names.includes(row.flag)) continue
    const fallback = row.default === '' ? '' : `, else ${row.default}`
    const unit = row.unit === '' ? 'value' : row.unit
    command.option(`${row.flag} <${unit}>`, `${row.description} (or ${row.variable}${fallback})`)
  }
  return command
}

/** Commander's camelCase names back to the settings' own. */
function settingFlags(flags: Flags): Flags {
  const known = SETTINGS.flatMap(row => {
    const name = row.flag?.slice(2)
    const value = name && flags[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return name && typeof value === 'string' ? [[name, value] as const] : []
  })
  return Object.fromEntries(known)
}

const formatOf = (flags: Flags): 'text' | 'json' | 'github' => flags['format'] as 'text' | 'json' | 'github'
