/** Events as JSON lines on standard error. */
import pino, { type DestinationStream } from 'pino'
import { RunnerError } from '../model/errors.js'
import type { Event, Observer } from '../model/events.js'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Level = Exclude<LogLevel, 'silent'>

const LEVEL_OF = {
  'server.ready': 'info',
  'server.draining': 'info',
  'server.closed': 'info',
  'request.done': 'info',
  'query.done': 'debug',
  'query.failed': 'warn',
  'cache.warmed': 'debug',
  'cache.warm-failed': 'warn',
  'store.failed': 'warn',
  'engine.started': 'info',
  'engine.died': 'error',
  'engine.table-read': 'debug',
  'tokens.reloaded': 'info',
  'tokens.unreadable': 'warn',
  bug: 'error',
} as const satisfies Record<Event['kind'], Level>

/** Errors of a caller are no news for the operator; failures are. */
function levelOf(event: Event): Level {
  if (event.kind === 'request.done' && event.status >= 500) return 'error'
  if (event.kind === 'query.failed' && event.error.status < 500) return 'debug'
  return LEVEL_OF[event.kind]
}

/** Writes each event of `level` and above as one line. Without a destination: standard error. */
export function logObserver(level: LogLevel, destination?: DestinationStream): Observer {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      // No event carries one of these; should a cause ever do, it is not written.
      redact: { paths: SECRETS.flatMap(name => [`["${name}"]`, `*["${name}"]`]), censor: '[redacted]' },
    },
    destination ?? pino.destination({ fd: 2, sync: true }),
  )
  return event => {
    const { kind, ...facts } = event
    logger[levelOf(event)](withPlainErrors(facts), kind)
  }
}

const SECRETS = ['authorization', 'x-api-key', 'X-API-KEY', 'password', 'secret']

/** Errors as code, detail and cause; the stack only of what is a bug. */
function withPlainErrors(facts: Record<string, unknown>): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts)) {
    if (value === null) continue
    plain[name] = value instanceof Error ? plainError(value) : value
  }
  return plain
}

function plainError(error: Error): unknown {
  if (!(error instanceof RunnerError)) return { message: error.message, stack: error.stack }
  const { code, detail, cause } = error
  // A bad argument's own text may stand in the cause; the code says enough.
  if (error.status < 500) return { code }
  if (cause === undefined) return { code, detail }
  if (!(cause instanceof Error)) return { code, detail, cause: String(cause) }
  return { code, detail, cause: code === 'INTERNAL' ? (cause.stack ?? cause.message) : cause.message }
}
