/** Conducts a call of an endpoint's tool: the same pins, cache, flights, budgets, log and metrics as over plain HTTP. */
import type { Endpoint } from '../model/endpoint.js'
import { type ArgumentProblem, failureOf, type RunnerError } from '../model/errors.js'
import { requestDone } from '../model/events.js'
import { CURSOR, PAGE_SIZE } from '../model/page.js'
import type { Caller } from '../model/ports.js'
import { bindPinned, invalidBeside } from '../request/bind-pinned.js'
import { handleFor, type RunResponse } from '../request/handle.js'
import { FORMAT_NAME } from '../request/negotiate.js'
import type { RequestFacts } from '../request/plan.js'
import { mergeArguments, parsedArguments, type RawArguments, refuseManyNames } from '../request/raw-arguments.js'
import { unknownProblems } from '../request/unknown-arguments.js'
import { type FullResult, mistakeAnswer, mistakeText, rowsAnswer, type ToolAnswer } from './answers.js'
import { excerptOf } from './excerpt.js'
import type { Session } from './session.js'
import { DEFAULT_ROWS, MAX_ROWS, ROWS, rowsArgument } from './tools.js'

/** The longest address that a note names. */
const MAX_ADDRESS = 2_000

export type GivenArguments = Readonly<Record<string, unknown>>

/**
 * Answers with rows, or with a mistake that the model can correct.
 * @throws RunnerError ENDPOINT_UNKNOWN, TOKEN_NOT_ALLOWED where there is no such tool; each error that is passed to `session.refuse`.
 */
export async function callEndpoint(endpoint: Endpoint, args: GivenArguments, session: Session, signal: AbortSignal) {
  const { deps, caller } = session
  session.onCall()
  const beganMs = deps.clock.ticksMs()
  const facts: RequestFacts = { token: caller.token, endpoint: endpoint.name }
  const report = (status: number, outcome: Parameters<typeof requestDone>[3]): void => {
    const call = { ...session.about, ...facts, via: 'mcp' } as const
    deps.observe(requestDone(call, status, deps.clock.ticksMs() - beganMs, outcome))
  }
  try {
    const { input, page, rows } = readArguments(endpoint, args, caller)
    const readAddress = (): RawArguments => mergeArguments(input, page)
    const response = await handleFor(caller, { ref: endpoint.id, format: 'json', readAddress, signal }, deps, facts)
    const answer = answerOf(response, input, rows, session)
    const { outcome: cache, cost, result } = response
    report(200, { cache, rows: result.rowCount, ...(cost && { cost }), error: null })
    return answer
  } catch (thrown) {
    const error = failureOf(thrown, signal.aborted)
    report(error.status, { error, ...(error.cost && { cost: error.cost }) })
    if (error.code === 'INTERNAL') deps.observe({ kind: 'bug', where: 'mcp', cause: error.cause })
    return refusalAnswer(error, session)
  }
}

/** A 400 in words, a 5xx by its code alone. @throws RunnerError for a failure that a tool cannot answer with. */
export function refusalAnswer(error: RunnerError, { isAuthor, refuse }: Pick<Session, 'isAuthor' | 'refuse'>) {
  const { code, status, cause } = error
  if (code === 'ENDPOINT_UNKNOWN' || code === 'TOKEN_NOT_ALLOWED') throw error
  if (status === 429 && refuse) {
    refuse(error)
    throw error
  }
  if (status < 500) return mistakeAnswer(mistakeText(error))
  if (!isAuthor) return mistakeAnswer(code)
  const why = code !== 'INTERNAL' && cause instanceof Error ? [cause.message] : []
  return mistakeAnswer([`${code}: ${error.detail}`, ...why].join('\n'))
}

/**
 * The arguments of the endpoint, the arguments of its page, and how many rows to show.
 * @throws RunnerError ARGUMENT_INVALID naming every argument that is unknown or invalid; TOKEN_NOT_ALLOWED.
 */
function readArguments(endpoint: Endpoint, args: GivenArguments, caller: Caller) {
  const known = endpoint.parameters.map(({ name }) => name).filter(name => !Object.hasOwn(caller.pinned, name))
  refuseManyNames(Object.keys(args).length)
  const rowsParameter = rowsArgument(endpoint)
  const names = [...known, ...(rowsParameter ? [rowsParameter.name] : []), ...(endpoint.pages ? [CURSOR] : [])]
  const errors = unknownArguments(args, names)
  const rows = rowsParameter ? rowsOf(args, errors, rowsParameter) : DEFAULT_ROWS
  const own = Object.entries(args).filter(([name]) => known.includes(name))
  const input = parsedArguments(Object.fromEntries(own), true)
  const listHint = (name: string): string => `send a list, {"${name}": ["a", "b"]}`
  if (errors.length > 0) throw invalidBeside(errors, () => bindPinned(caller, endpoint, input, listHint))
  return endpoint.pages ? { input, ...pageOf(args, rows) } : { input, page: parsedArguments({}, true), rows }
}

/** The next page is as long as the page before, unless the call says otherwise. Over HTTP, that may have been longer than an answer. */
function pageOf(args: GivenArguments, rows: number) {
  const cursor = args[CURSOR] || null
  const size = cursor === null ? rows : args[PAGE_SIZE]
  return { page: parsedArguments({ [CURSOR]: cursor, [PAGE_SIZE]: size }, true), rows: MAX_ROWS }
}

/** A problem for each argument that a tool does not have. */
export function unknownArguments(args: GivenArguments, names: readonly string[]): ArgumentProblem[] {
  const unknown = Object.keys(args).filter(name => !names.includes(name))
  return unknownProblems(names, unknown, 'tool').map(({ parameter, detail }) => ({ parameter, detail }))
}

/** The number of rows to show; adds a problem for any other value. */
export function rowsOf(args: GivenArguments, errors: ArgumentProblem[], { name, most, usual } = ROWS): number {
  const rows = args[name] ?? usual
  if (typeof rows === 'number' && Number.isInteger(rows) && rows >= 1 && rows <= most) return rows
  errors.push({ parameter: name, detail: `must be a whole number from 1 to ${most}` })
  return usual
}

function answerOf(response: RunResponse, input: RawArguments, rows: number, session: Session): ToolAnswer {
  const { endpoint, result } = response
  const excerpt = excerptOf(result, { maxRows: rows, maxBytes: session.maxBytes })
  const next = result.page ? nextOf(response, excerpt.rows) : null
  const before = result.page ? { next } : {}
  if (!excerpt.isTruncated) return rowsAnswer(excerpt.text(null, before), null)
  const isPart = excerpt.rows < result.rowCount || next !== null
  const full = isPart ? fullResult(endpoint, input, session) : null
  const note = result.page ? pageNoteOf(excerpt.rows, result, next, full) : noteOf(excerpt.rows, result, full)
  return rowsAnswer(excerpt.text(note, before), full)
}

/** The cursor of the first row that is not shown. A row that alone is too large is left out: no call could show it. */
function nextOf({ result, cursorAt }: RunResponse, shown: number): string | null {
  const row = Math.max(shown, 1)
  return row < result.rowCount ? cursorAt!(row) : result.page!.next
}

function pageNoteOf(
  shown: number,
  { rowCount, isTruncated, page }: RunResponse['result'],
  next: string | null,
  full: FullResult | null,
): string {
  const total = page!.totalRows
  const all = full ? `, or fetch all: GET ${full.uri}` : ''
  const isLeftOut = shown === 0 && rowCount > 0
  return [
    ...(isLeftOut ? [`A row is left out: it alone is too large for an answer${next === null ? all : ''}`] : []),
    ...(next
      ? [`${shown} of ${total} rows; send next as cursor, beside the same arguments, for those that follow${all}`]
      : []),
    ...(isTruncated ? [`The result itself is cut after ${total} rows: the query has more`] : []),
  ].join('. ')
}

/** The note of an answer: how many rows are missing, and how to get them. */
export function noteOf(
  shown: number,
  { rowCount, isTruncated }: { readonly rowCount: number; readonly isTruncated: boolean },
  full: FullResult | null,
): string {
  if (shown === rowCount) return `${shown} of more than ${rowCount} rows; ask with narrower arguments`
  const all = full ? `, or fetch all: GET ${full.uri}` : ''
  const cut = isTruncated ? `. The result itself is cut after ${rowCount} rows: the query has more` : ''
  return `${shown} of ${rowCount} rows; ask with narrower arguments${all}${cut}`
}

/** The address of the whole result as CSV; null without a server, or where the address would be too long. */
function fullResult({ name, parameters }: Endpoint, input: RawArguments, { serverUrl }: Session): FullResult | null {
  if (serverUrl === null) return null
  const pairs = new URLSearchParams()
  for (const [argument, { values, isList }] of input) {
    // An address that has a single value like this is refused, since the value looks like several.
    if (isList && values.length === 1 && /^\[|,/.test(String(values[0]))) return null
    for (const value of values) pairs.append(argument, String(value))
  }
  // Where the endpoint has a parameter of this name, only a header can ask for CSV, and a link has no headers.
  if (!parameters.some(parameter => parameter.name === FORMAT_NAME)) pairs.append(FORMAT_NAME, 'csv')
  const uri = `${serverUrl}/api/endpoints/query/${name}${pairs.size > 0 ? `?${pairs}` : ''}`
  return uri.length <= MAX_ADDRESS ? { uri, name } : null
}
