/**
 * The thread of the watchdog. It counts its own beats, not time: while the process is stopped, or its machine sleeps, this thread stands
 * still too.
 */
import { write } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { systemClock } from '../runner/platform/clock.js'
import type { WatchdogData } from './watchdog.js'

/** How long the main thread may take to say where it is, in milliseconds: it can do so between two steps of JavaScript. */
const ANSWER_MS = 6_000
/** How long a stalled reader of the log is waited for, in milliseconds. */
const WRITE_MS = 1_000
/** The most functions that the log names, the innermost first. */
const MAX_FRAMES = 12
const STANDARD_ERROR = 2

const { turns, beatMs, maxBeats, writesLog } = workerData as WatchdogData
let lastTurn = -1
let stillBeats = 0

const timer = setInterval(() => {
  const turn = Atomics.load(turns, 0)
  stillBeats = turn === lastTurn ? stillBeats + 1 : 0
  lastTurn = turn
  if (stillBeats < maxBeats) return
  clearInterval(timer)
  askWhere(endProcess)
}, beatMs)

/** Calls back once, with the functions that the main thread is in, the innermost first; the list is empty if it does not answer. */
function askWhere(tell: (where: readonly string[]) => void): void {
  const timeout = setTimeout(tell, ANSWER_MS, [])
  const files = new Map<string, string>()
  const session = new Session()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url))
  session.on('Debugger.paused', ({ params }) => {
    clearTimeout(timeout)
    tell(params.callFrames.slice(0, MAX_FRAMES).map(frame => placeOf(frame, files)))
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}

function placeOf({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location
  return `${functionName || '(anonymous)'} (${files.get(scriptId)}:${lineNumber + 1}:${columnNumber + 1})`
}

/** Nothing on the main thread can end the process in good order, so it is killed. */
function endProcess(where: readonly string[]): void {
  const kill = (): void => void process.kill(process.pid, 'SIGKILL')
  setTimeout(kill, writesLog ? WRITE_MS : 0)
  if (writesLog) write(STANDARD_ERROR, lineOf(where), kill)
}

/** A line like those of observe/log.ts, which writes in the main thread. */
function lineOf(where: readonly string[]): string {
  const time = new Date(systemClock().nowMs()).toISOString()
  const stalledSeconds = (maxBeats * beatMs) / 1000
  const facts =
    where.length > 0
      ? { where }
      : { reason: 'the main thread is in native code, such as a driver or a call of the system' }
  return `${JSON.stringify({ level: 'error', time, stalledSeconds, ...facts, msg: 'process.stalled' })}\n`
}
