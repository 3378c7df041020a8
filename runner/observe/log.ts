/** Writes events as JSON lines to standard error. */
import pino, { type DestinationStream, type Logger } from 'pino'
import { beginning, causeText } from '../model/cause-text.js'
import { type Diagnostic, diagnosticLine } from '../model/diagnostic.js'
import { RunnerError } from '../model/errors.js'
import type { Event } from '../model/events.js'
import { isRecord } from '../model/is-record.js'
import type { Clock } from '../model/ports.js'
import type { LogLevel } from './log-levels.js'

type Level = Exclude<LogLevel, 'silent'>

const LEVEL_OF = {
  'server.ready': 'info',
  'server.draining': 'info',
  'server.closed': 'info',
  'request.done': 'info',
  'manifests.loaded': 'debug',
  'manifests.reloaded': 'info',
  'manifests.refused': 'error',
  'manifests.broken': 'error',
  'query.started': 'debug',
  'query.done': 'debug',
  'query.failed': 'debug',
  'engine.retried': 'warn',
  'job.cancelled': 'info',
  'job.cancel-failed': 'error',
  'refresh.refused': 'warn',
  'refresh.differed': 'error',
  'cache.warmed': 'debug',
  'cache.warm-failed': 'warn',
  'cache.purged': 'info',
  'store.failed': 'warn',
  'engine.started': 'info',
  'engine.died': 'error',
  'engine.table-read': 'debug',
  'tokens.reloaded': 'info',
  'tokens.unreadable': 'warn',
  'cursors.key-not-kept': 'warn',
  'engine.data-unknown': 'warn',
  bug: 'error',
} as const satisfies Record<Event['kind'], Level>

/**
 * The level of an event. A failed query has level debug, since the request or the background refresh that has started it
 * reports the same error.
 */
function levelOf(event: Event): Level {
  if (event.kind === 'request.done' && event.status >= 500) return 'error'
  // Every billed query has level info, including queries of background refreshes.
  if ((event.kind === 'query.done' || event.kind === 'query.failed') && event.cost) return 'info'
  return LEVEL_OF[event.kind]
}

/**
 * While a store is down, its failures would flood the log. So only one failure gets a line in this many milliseconds, and the next line
 * has the number of failures without a line.
 */
const QUIET_MS = 60_000

const STANDARD_ERROR = 2
/** The most bytes that wait for a reader who takes nothing; further lines are dropped. */
export const MAX_WAITING = 1_048_576
/**
 * Lines of requests wait until they have this many bytes together, but no longer than HOLD_MS: a write takes as much processor time as some
 * twenty lines.
 */
const MIN_WRITE = 65_536
const HOLD_MS = 200
/** How long the end of the process waits for a reader who takes nothing, in milliseconds. */
const END_MS = 2_000

/** Writes the time as pino's `isoTime` does. The text is made once a millisecond, since making it takes as long as the rest of a line. */
function isoTime(clock: Clock): () => string {
  let [stampedMs, stamp] = [Number.NaN, '']
  return () => {
    const now = clock.nowMs()
    if (now !== stampedMs) [stampedMs, stamp] = [now, `,"time":"${new Date(now).toISOString()}"`]
    return stamp
  }
}

/** Where lines go. `flush` writes the lines that wait, and calls back when they are written, or cannot be. */
export interface LogDestination extends DestinationStream {
  flush?(written?: () => void): void
  /** Drops the lines that wait: at the exit of the process, writing them would be tried for ever. */
  destroy?(): void
  /** `drop` comes with the lines that were dropped. */
  on?(event: 'drop' | 'drain', listener: (lines: string) => void): unknown
}

/**
 * Standard error. A write never waits for a reader: Node makes a pipe or a socket non-blocking when `process.stderr` is first
 * accessed, which main.ts does.
 */
function standardError(hasEnded: () => boolean): LogDestination {
  const stream = pino.destination({
    dest: STANDARD_ERROR,
    sync: false,
    minLength: MIN_WRITE,
    maxWrite: MIN_WRITE + 1,
    maxLength: MAX_WAITING,
    periodicFlush: HOLD_MS,
    retryEAGAIN: () => !hasEnded(),
  })
  // A log that cannot be written, such as a closed terminal, stops neither requests nor the end of the process.
  let isClosed = false
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    isClosed ||= code === 'EPIPE'
  })
  let lines = ''
  const writeLines = (): void => {
    const written = lines
    lines = ''
    if (isClosed) stream.emit('drop', written)
    else if (written !== '') stream.write(written)
  }
  return {
    // The lines of one turn of the event loop go together: sonic-boom counts all bytes that wait with each write.
    write(line) {
      if (lines === '') queueMicrotask(writeLines)
      lines += line
    },
    flush(written) {
      writeLines()
      stream.flush(written)
    },
    destroy: () => stream.destroy(),
    on: (event, listener) => stream.on(event, listener),
  }
}

/**
 * Writes each event of `level` and above as one line, by default to standard error. While its reader stalls, lines wait in
 * memory; when too many wait they are dropped, and a later line reports their number. A process that is killed loses the
 * lines of requests of the last HOLD_MS.
 */
export class Log {
  readonly #clock: Clock
  readonly #destination: LogDestination
  readonly #logger: Logger
  /** Until when failures of the store are not written, and how many have not been. */
  #quiet = { untilMs: -Infinity, unwritten: 0 }
  #dropped = 0
  #unreported = 0
  #hasEnded = false

  constructor(level: LogLevel, clock: Clock, destination?: LogDestination) {
    this.#clock = clock
    this.#destination = destination ?? standardError(() => this.#hasEnded)
    const formatters = { level: (label: string) => ({ level: label }) }
    this.#logger = pino({ level, base: null, timestamp: isoTime(clock), formatters }, this.#destination)
    this.#destination.on?.('drop', lines => {
      const count = lines.split('\n').length - 1
      this.#dropped += count
      this.#unreported += count
    })
    this.#destination.on?.('drain', () => {
      if (this.#unreported === 0) return
      const count = this.#unreported
      this.#unreported = 0
      this.#logger.warn({ dropped: count }, `dropped ${count} lines that the reader of the log did not take`)
    })
  }

  /** The number of lines dropped because the reader of the log did not take them. */
  readonly dropped = (): number => this.#dropped

  readonly observe = (event: Event): void => {
    const unwritten = event.kind === 'store.failed' ? this.#unwrittenFailures() : 0
    const level = levelOf(event)
    if (unwritten === null || !this.#logger.isLevelEnabled(level)) return
    if (event.kind === 'request.done') {
      this.#logger[level](requestLine(event), event.kind)
      if (level === 'error') this.#destination.flush?.()
      return
    }
    const { kind, ...facts } = event
    // A billed query that failed gets a line because of its cost. The line has only the error's code: the line of its request
    // or refresh has the reason.
    const plain = withPlainErrors(
      event.kind === 'query.failed' && level === 'info' ? { ...facts, error: event.error.code } : facts,
    )
    this.#logger[level](unwritten > 0 ? { ...plain, unwritten } : plain, kind)
    this.#destination.flush?.()
  }

  /** Resolves when all lines are written, or their reader has left or takes nothing. */
  async end(): Promise<void> {
    const destination = this.#destination
    if (!destination.flush) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, END_MS)
      destination.flush!(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.#hasEnded = true
    destination.destroy?.()
  }

  /** How many failures of the store were not written since the last line; null where this one is not written either. */
  #unwrittenFailures(): number | null {
    const { untilMs, unwritten } = this.#quiet
    const now = this.#clock.nowMs()
    const isQuiet = now < untilMs
    this.#quiet = isQuiet ? { untilMs, unwritten: unwritten + 1 } : { untilMs: now + QUIET_MS, unwritten: 0 }
    return isQuiet ? null : unwritten
  }
}

/**
 * The members of a request's line. They are the same for all requests, since V8 is slow with objects of many shapes: pino leaves
 * out undefined members.
 */
function requestLine(event: Extract<Event, { kind: 'request.done' }>): Record<string, unknown> {
  const { requestId, method, path, endpoint, token, status, durationMs, cache, rows, error, via, cost } = event
  return {
    requestId,
    method,
    path,
    endpoint: endpoint ?? undefined,
    token: token ?? undefined,
    status,
    durationMs: milliseconds(durationMs),
    cache: cache ?? undefined,
    rows: rows ?? undefined,
    error: error ? plainError(error) : undefined,
    via,
    cost,
  }
}

const milliseconds = (ms: number): number => Math.round(ms * 1_000) / 1_000

/** The names, in lower case, of members whose values are never written. No event has such a member; the cause of an error may. */
const SECRETS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'password', 'secret'])

const redact = (name: string, value: unknown): unknown => (SECRETS.has(name.toLowerCase()) ? '[redacted]' : value)

const withoutSecrets = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redact(name, member)]))

/** Replaces errors by their code, detail and causes; only bugs get a stack. All texts are shortened to a maximum length. */
function withPlainErrors(facts: Record<string, unknown>): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts)) {
    if (value === null) continue
    if (name === 'diagnostics') plain[name] = plainDiagnostics(value as readonly Diagnostic[])
    else if (value instanceof Error) plain[name] = plainError(value)
    else if (isRecord(value)) plain[name] = withoutSecrets(value)
    else if (name === 'durationMs') plain[name] = milliseconds(value as number)
    else plain[name] = redact(name, typeof value === 'string' ? beginning(value) : value)
  }
  return plain
}

/** The most diagnostics in one line of the log. */
const MAX_DIAGNOSTICS = 20

/** Errors first: warnings are not why something was refused. */
function plainDiagnostics(diagnostics: readonly Diagnostic[]): readonly string[] {
  const isError = ({ severity }: Diagnostic): boolean => severity === 'error'
  const inOrder = [...diagnostics.filter(isError), ...diagnostics.filter(diagnostic => !isError(diagnostic))]
  const lines = inOrder.slice(0, MAX_DIAGNOSTICS).map(diagnostic => beginning(diagnosticLine(diagnostic)))
  const omitted = diagnostics.length - lines.length
  return omitted > 0 ? [...lines, `and ${omitted} more`] : lines
}

/** The longest stack, in characters. */
const MAX_STACK = 8_000

const stackOf = (error: Error): string => beginning(error.stack ?? error.message, MAX_STACK)

function plainError(error: Error): unknown {
  if (!(error instanceof RunnerError)) {
    const rest = causeText(error.cause)
    return { message: beginning(error.message), stack: stackOf(error), ...(rest !== '' && { cause: rest }) }
  }
  const { code, detail, cause, refusal } = error
  // The cause may quote a bad argument, so only the code is logged.
  if (error.status < 500) return { code, ...refusal }
  if (cause === undefined) return { code, detail }
  if (code !== 'INTERNAL' || !(cause instanceof Error)) return { code, detail, cause: causeText(cause) }
  const rest = causeText(cause.cause)
  return { code, detail, cause: rest === '' ? stackOf(cause) : `${stackOf(cause)}; caused by: ${rest}` }
}
