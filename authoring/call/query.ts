/** `sluice query`: any BigQuery SQL over the embedded engine's tables. */

import { blamedOffset, SqlError, withAdvice } from '../../googlesql/index.js'
import { deriveHere } from '../../runner/formats/deriver.js'
import { ENGINES } from '../../runner/model/engines.js'
import { RunnerError, UsageError } from '../../runner/model/errors.js'
import type { Clock, Engine, RunOptions } from '../../runner/model/ports.js'
import type { BoundValue, Query } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { didYouMean } from '../../runner/model/suggest.js'
import { typeScalar } from '../../runner/model/typed-value.js'
import { systemClock } from '../../runner/platform/clock.js'
import { openServingEngineOver, readDefinitions } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { splitAssignment, wholeNumber } from '../terminal/arguments.js'
import { closing } from '../terminal/closing.js'
import { MAX_SQL_BYTES, readInput } from '../terminal/files.js'
import { EXIT, type Io } from '../terminal/io.js'
import { encodedFormat, explanationText, printRows, type ShownFormat } from '../terminal/print-result.js'
import { checkDryRun, type DryRunFlags, printReads } from './dry-run.js'
import { findFailureOffset } from './failure-offset.js'
import { parametersIn, type QueryParameters, withNow } from './with-now.js'

export interface QueryFlags extends DryRunFlags {
  readonly file?: string
  readonly parameter: readonly string[]
  readonly maxRows: string
  readonly timeout: string
  /** Whether the functions of the language are listed instead. */
  readonly functions?: boolean
}

const MAX_SECONDS = 86_400

/** Runs the SQL and prints its rows. Without `text`, or where it is `-`, the SQL is read from a file or standard input. */
export async function runQuery(
  text: string | undefined,
  settings: Settings,
  flags: QueryFlags,
  io: Io,
): Promise<number> {
  const { file, dryRun, explain, format } = flags
  checkDryRun(flags)
  if (!dryRun && !ENGINES[settings.engine].isLocal) {
    throw new UsageError([`query runs on the embedded engine only: --engine duckdb, found ${settings.engine}`])
  }
  const parameters = parseParameters(flags.parameter)
  const limits = limitsOf(flags)
  const sql = await readSql(text, file, io)
  refuseUnreadParameters(parameters, sql)
  const clock = systemClock()
  const query: Query = { sql, parameters: withNow(sql, parameters, clock) }
  const opened = await openServingEngineOver(await readDefinitions(settings), settings, { observe: () => {}, clock })
  await closing(opened, async engine => {
    try {
      if (dryRun) printReads(await engine.dryRun(query), settings.pricePerTib, format, io)
      else if (explain) await printExplanation(engine, query, clock, io)
      else await printResult(engine, query, limits, format, io)
    } catch (thrown) {
      throw withPlace(thrown, sql)
    }
  })
  return EXIT.clean
}

type Limits = Pick<RunOptions, 'maxRows' | 'timeoutMs'>

/** @throws UsageError. */
function limitsOf({ maxRows, timeout }: QueryFlags): Limits {
  const seconds = /^\d+(\.\d+)?$/.test(timeout) ? Number(timeout) : 0
  if (seconds > 0 && seconds <= MAX_SECONDS) {
    return { maxRows: wholeNumber('--max-rows', maxRows, 1, 999_999_999), timeoutMs: 1_000 * seconds }
  }
  throw new UsageError([`--timeout must be a number of seconds, above 0 and at most ${MAX_SECONDS}`])
}

async function printExplanation(engine: Engine, query: Query, clock: Clock, io: Io): Promise<void> {
  const { sql, parameters } = query
  const began = clock.nowMicros()
  const { engineSql, plan } = await engine.explain(query)
  const timingsMs = { explained: Number(clock.nowMicros() - began) / 1000 }
  io.print(explanationText({ variant: null, sql, parameters, engineSql, plan, timingsMs }))
}

async function printResult(engine: Engine, query: Query, limits: Limits, shown: ShownFormat, io: Io): Promise<void> {
  const timestamps = 'iso8601'
  const options = { ...limits, timestamps, endpoint: 'query', signal: io.interruption() } as const
  const { columns, body, isTruncated, rowCount } = await engine.run(query, options).catch(async thrown => {
    throw await withOffset(thrown, engine, query, options)
  })
  const format = encodedFormat(shown)
  const facts = { endpoint: 'query', revision: '', isTruncated }
  printRows(columns, await deriveHere([format, columns, body, facts]), shown, io)
  if (isTruncated) io.printError(`cut after ${rowCount} rows; --max-rows sets how many\n`)
}

/** @throws UsageError for no SQL, or SQL from two places; SetupError for a file that cannot be read. */
async function readSql(text: string | undefined, file: string | undefined, io: Io): Promise<string> {
  if (text !== undefined && file !== undefined) throw new UsageError(['query takes SQL or --file, not both'])
  const sql = file === undefined && text !== undefined && text !== '-' ? text : await readInput(file ?? '-', io)
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES) throw new UsageError([`the SQL is longer than ${MAX_SQL_BYTES} bytes`])
  if (sql.trim() !== '') return sql
  throw new UsageError(['query takes SQL: as an argument, with --file, or from standard input'])
}

/** The failure with the offset of the expression that failed, where that can be found. */
async function withOffset(thrown: unknown, engine: Engine, query: Query, options: RunOptions): Promise<unknown> {
  if (!(thrown instanceof RunnerError) || !(thrown.cause instanceof QueryFault)) return thrown
  const { message, cause } = thrown.cause
  const offset = await findFailureOffset(engine, query, options, thrown.cause)
  return offset === null ? thrown : thrown.withCause(new QueryFault(message, { cause, offset }))
}

/** The failure of a query, with the line and column in its text where they are known. */
function withPlace(thrown: unknown, sql: string): unknown {
  if (!(thrown instanceof RunnerError) || !(thrown.cause instanceof QueryFault)) return thrown
  const { message, cause, offset, unplaced } = thrown.cause
  if (cause instanceof SqlError) {
    const { reason, mistake, problem } = cause
    const advised =
      mistake?.code === 'unknown-parameter'
        ? `${reason}; -p ${mistake.name}=VALUE binds it`
        : withAdvice(problem, sql).message
    const placed = new SqlError(advised, sql, blamedOffset(problem, sql))
    return thrown.withCause(new QueryFault(placed.message, { cause }))
  }
  if (offset === null || unplaced !== message) return thrown
  const { line, column } = new SqlError(message, sql, offset).place
  return thrown.withCause(new QueryFault(`${message} at [${line}:${column}]`, { cause }))
}

/** @throws UsageError for parameters that the SQL does not name, which are probably misspelt. */
function refuseUnreadParameters(parameters: QueryParameters, sql: string): void {
  const inSql = parametersIn(sql)
  const lowerCaseNames = new Set([...inSql].map(name => name.toLowerCase()))
  const problems = Object.keys(parameters)
    .filter(name => !lowerCaseNames.has(name.toLowerCase()))
    .map(name => {
      const all =
        inSql.size === 0 ? '; it reads no parameters' : `; it reads ${[...inSql].map(name => `@${name}`).join(', ')}`
      return `--parameter ${name}: the query does not read @${name}${didYouMean(name, inSql, all).hint}`
    })
  if (problems.length > 0) throw new UsageError(problems)
}

/** Parses `name=value` as a STRING and `name:TYPE=value` as that type; the value of an array is JSON. */
function parseParameters(texts: readonly string[]): QueryParameters {
  const parameters = texts.map((text): readonly [string, BoundValue] => {
    const [declaration, value] = splitAssignment('--parameter', text)
    const [, name = declaration, type = 'STRING'] = /^(\w+):(.+)$/.exec(declaration) ?? []
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new UsageError([`--parameter: ${JSON.stringify(name)} is not a parameter's name`])
    return [name, { type, value: readValue(name, type.toUpperCase(), value) }]
  })
  // Names of parameters are case-insensitive in GoogleSQL.
  const names = parameters.map(([name]) => name.toLowerCase())
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw new UsageError([`--parameter: ${repeated} is given twice`])
  return Object.fromEntries(parameters)
}

function readFloat64(name: string, text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  const typed = typeScalar('float64', text)
  if (typed.ok) return typed.value as number
  throw new UsageError([`--parameter: ${name} ${typed.detail}`])
}

function readValue(name: string, type: string, text: string): unknown {
  if (/^BOOL(EAN)?$/.test(type)) {
    if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
    throw new UsageError([`--parameter: ${name} must be true or false`])
  }
  if (type === 'FLOAT64') return readFloat64(name, text)
  if (!/^(ARRAY|STRUCT)\b/.test(type)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UsageError([
      `--parameter: the value of ${name} must be JSON, such as ${/^ARRAY/.test(type) ? '[1, 2]' : '{"a": 1}'}, since its type is ${type}`,
    ])
  }
}
