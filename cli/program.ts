/** The program, and how it ends. Each command loads its own code: loading the code of all commands takes longer than most commands run. */
import { existsSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { declareMcp } from '../authoring/agent/command.js'
import { declareCall, declareQuery } from '../authoring/call/command.js'
import { declareValidate } from '../authoring/check/command.js'
import { declareClient } from '../authoring/client/command.js'
import { declareCompare } from '../authoring/compare/command.js'
import { declareConnect } from '../authoring/connect/command/command.js'
import { declareImport, declareTables } from '../authoring/data/command.js'
import { declareDiff } from '../authoring/diff/command.js'
import { declareLsp } from '../authoring/editor/command.js'
import { declareOpenApi } from '../authoring/openapi/command.js'
import { declareSample } from '../authoring/sample/command.js'
import { type Declarer, declarerIn, ProgramCommand } from '../authoring/terminal/declare.js'
import { EXIT, type Io } from '../authoring/terminal/io.js'
import { reportDiagnostics } from '../authoring/terminal/report.js'
import { declareTest } from '../authoring/test/command.js'
import { declareInit, declareNew } from '../authoring/write/command.js'
import { LoadError, RunnerError, SetupError, UsageError } from '../runner/model/errors.js'
import { QueryFault } from '../runner/model/query-fault.js'
import { ownPackage } from '../runner/platform/own-package.js'
import { declareCache, declareServe, declareToken } from './commands.js'

/** Runs a command line; resolves to the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.clean
  const program = makeProgram(io, exit => {
    code = exit
  })
  try {
    await program.parseAsync(argv[0] === 'query' ? argv.map(asOperand) : [...argv], { from: 'user' })
    return code
  } catch (thrown) {
    return explainFailure(thrown, io)
  }
}

/** Puts a space before SQL that begins with a comment, because a word that begins with `--` would count as a flag. */
const asOperand = (word: string): string => (/^--(?:\s|[^=]*\n)/.test(word) ? ` ${word}` : word)

/** All commands, with their flags; what `--help` prints and docs/reference/cli.md is generated from. */
export function makeProgram(io: Io, exit: (code: number) => void): Command {
  const program = new ProgramCommand(exit, 'sluice')
    .description('Saved, parameterised SQL as HTTP endpoints.')
    .version(ownPackage().version, '--version', 'print the version')
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
  for (const declare of COMMANDS) declare(declarerIn(program, io))
  return program
}

/** In the order of `sluice --help`. */
const COMMANDS: readonly ((declarer: Declarer) => void)[] = [
  declareInit,
  declareNew,
  declareServe,
  declareValidate,
  declareTest,
  declareDiff,
  declareCall,
  declareCompare,
  declareOpenApi,
  declareQuery,
  declareImport,
  declareLsp,
  declareSample,
  declareTables,
  declareClient,
  declareConnect,
  declareMcp,
  declareCache,
  declareToken,
]

/** The commands that make the folder of table schemas. */
const WRITES_SCHEMAS: ReadonlySet<string> = new Set(['infer', 'pull', 'sample'])

function explainFailure(thrown: unknown, io: Io): number {
  const explain = (text: string, code: number): number => {
    io.printError(`sluice: ${text}\n`)
    return code
  }
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.clean : EXIT.usage
  if (thrown instanceof UsageError) return explain(thrown.problems.join('\nsluice: '), EXIT.usage)
  if (thrown instanceof RunnerError && thrown.code === 'CALL_ABANDONED') return explain('interrupted', EXIT.failed)
  if (thrown instanceof LoadError || (thrown instanceof RunnerError && thrown.diagnostics.length > 0)) {
    reportDiagnostics(thrown.diagnostics, 'text', io)
    return EXIT.problems
  }
  if (thrown instanceof RunnerError) {
    const { code, detail, errors, cause } = thrown
    const reason = cause instanceof Error && code !== 'INTERNAL' ? [cause.message] : []
    const lines = [detail, ...errors.map(error => `${error.parameter}: ${error.detail}`), ...reason]
    return explain(lines.join('\n  '), EXIT.problems)
  }
  if (thrown instanceof QueryFault) return explain(thrown.message, EXIT.problems)
  if (thrown instanceof SetupError) return explain(thrown.message, EXIT.failed)
  return explain(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown), EXIT.failed)
}
