/** `sluice compare`: the same calls on both engines, and where their results differ. */

import { instantText } from '../../runner/manifest/instant-text.js'
import { RunnerError, UsageError } from '../../runner/model/errors.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'
import { type CallOptions, createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { rawArguments, timeArgument, wholeNumber } from '../terminal/arguments.js'
import { closing } from '../terminal/closing.js'
import { failureMessage } from '../terminal/failure-message.js'
import { EXIT, type Io } from '../terminal/io.js'
import { planCalls } from './calls.js'
import { type Call, type ComparedCall, comparedText, summaryText } from './report.js'
import { type Answer, resultDifferences } from './results.js'

export interface CompareFlags {
  readonly all?: boolean
  readonly format: string
  /** An ISO 8601 time. */
  readonly now?: string
  readonly rows: string
  readonly maxCalls: string
  readonly unordered?: boolean
  readonly floatDigits?: string
}

/**
 * Compares one call, or with `--all` the planned calls of one endpoint or of all. Exit 1 if results differ or an endpoint has no
 * calls, 3 if an engine cannot be reached.
 */
export async function compareEngines(
  texts: readonly string[],
  given: Settings,
  flags: CompareFlags,
  io: Io,
): Promise<number> {
  const request = parseRequest(texts, flags)
  const nowMicros = flags.now === undefined ? systemClock().nowMicros() : timeArgument('--now', flags.now)
  // Calls with a frozen clock go past the cache, so its shared store is not needed.
  const settings = { ...given, redisUrl: null }
  return closing(await createRunner({ ...settings, engine: 'duckdb' }), async duckdb => {
    const { calls, problems } = plan(request, duckdb)
    return closing(await createRunner({ ...settings, engine: 'bigquery' }), bigquery =>
      compareAll(calls, problems, { duckdb, bigquery }, { ...request, nowMicros }, io),
    )
  })
}

type CompareRequest = ReturnType<typeof parseRequest>

/** `name` is null for every endpoint. */
function parseRequest(texts: readonly string[], flags: CompareFlags) {
  const [first] = texts
  const name = first === undefined || first.includes('=') ? null : first
  const { all: isAll = false, unordered: isUnordered = false, floatDigits: digits, format } = flags
  const limit = (flag: string, text: string): number => wholeNumber(flag, text, 1, 999_999)
  if (name === null && !isAll) throw new UsageError(['compare takes the name of an endpoint, or --all'])
  return {
    name,
    isAll,
    args: rawArguments(name === null ? texts : texts.slice(1)),
    maxCalls: limit('--max-calls', flags.maxCalls),
    maxRows: limit('--rows', flags.rows),
    floatDigits: digits === undefined ? null : limit('--float-digits', digits),
    isUnordered,
    format,
  }
}

/** The calls to compare. `problems` say why an endpoint has no call, or not all calls. */
function plan(
  { name, isAll, args, maxCalls }: CompareRequest,
  runner: Runner,
): { readonly calls: readonly Call[]; readonly problems: readonly string[] } {
  if (name !== null && !isAll) return { calls: [{ endpoint: name, arguments: args }], problems: [] }
  const loadedEndpoints = runner
    .details()
    .filter(({ endpoint }) => name === null || endpoint.name === name || endpoint.id === name.toLowerCase())
  if (loadedEndpoints.length === 0) {
    throw new UsageError([name === null ? 'the manifests have no endpoint' : `there is no endpoint ${name}`])
  }
  const problems: string[] = []
  const calls = loadedEndpoints.flatMap(loadedEndpoint => {
    const { endpoint } = loadedEndpoint
    const planned = planCalls(loadedEndpoint, args)
    for (const parameter of [...planned.missing, ...planned.neverGiven]) {
      problems.push(
        `${endpoint.name}: ${parameter} has no examples: add examples to the manifest, or pass ${parameter}=… to this command`,
      )
    }
    if (planned.calls.length > maxCalls) {
      problems.push(`${endpoint.name}: ${maxCalls} of ${planned.calls.length} calls; --max-calls sets how many`)
    }
    return planned.calls.slice(0, maxCalls).map(values => ({ endpoint: endpoint.name, arguments: values }))
  })
  return { calls, problems }
}

async function compareAll(
  calls: readonly Call[],
  problems: readonly string[],
  engines: { readonly duckdb: Runner; readonly bigquery: Runner },
  request: CompareRequest & { readonly nowMicros: bigint },
  io: Io,
): Promise<number> {
  const compared: ComparedCall[] = []
  const callOptions = { nowMicros: request.nowMicros, signal: io.interruption() }
  for (const call of calls) {
    const [duckdb, bigquery] = await Promise.all([
      answerOf(engines.duckdb, call, callOptions),
      answerOf(engines.bigquery, call, callOptions),
    ])
    for (const [engine, answer] of Object.entries({ duckdb, bigquery })) {
      if (answer.kind === 'rows' || answer.code !== 'ENGINE_UNAVAILABLE') continue
      io.printError(`sluice: ${engine} cannot be reached: ${answer.message}\n`)
      return EXIT.failed
    }
    const rows = duckdb.kind === 'rows' ? duckdb.rowCount : 0
    const outcome = { ...call, rows, differences: resultDifferences(duckdb, bigquery, request) }
    compared.push(outcome)
    if (request.format === 'text') io.print(comparedText(outcome))
  }
  const now = instantText(request.nowMicros)
  if (request.format === 'json') io.print(`${JSON.stringify({ now, calls: compared, problems }, null, 2)}\n`)
  else io.print(summaryText(compared, now))
  for (const problem of problems) io.printError(`${problem}\n`)
  const isClean = problems.length === 0 && compared.every(({ differences }) => differences.length === 0)
  return isClean ? EXIT.clean : EXIT.problems
}

/** @throws RunnerError for a call that no engine has run, because an argument or the name of the endpoint is wrong. */
async function answerOf(runner: Runner, call: Call, callOptions: CallOptions): Promise<Answer> {
  try {
    return { kind: 'rows', ...(await runner.call(call.endpoint, call.arguments, { ...callOptions, format: 'table' })) }
  } catch (thrown) {
    const mayDiffer = thrown instanceof RunnerError && (thrown.status >= 500 || thrown.cause instanceof QueryFault)
    if (!mayDiffer) throw thrown
    return { kind: 'failed', code: thrown.code, message: failureMessage(thrown) }
  }
}
