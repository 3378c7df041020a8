/** The engine's child process: it runs DuckDB, answers its parent's requests, and ends when its parent ends. */
import { rmSync } from 'node:fs'
import { causeText } from '../../../model/cause-text.js'
import type { FromChild, SessionOptions, ToChild } from '../process/messages.js'
import { Answering, type AnsweringOptions } from './answer-requests.js'
import { openSession } from './session.js'
import { statementGuard } from './statement-allowlist.js'

let answering: Answering | null = null
let folder: string | null = null

const send: AnsweringOptions['send'] = (message, onReceived) => {
  // If sending fails, the parent has ended, and the event 'disconnect' follows.
  if (process.connected) process.send?.(message, () => onReceived?.())
  else onReceived?.()
}

async function open(options: SessionOptions, readAhead: readonly string[]): Promise<void> {
  folder = options.folder
  try {
    const guard = statementGuard()
    const session = await openSession(options, (id, ms) => answering?.addComputing(id, ms) ?? false)
    answering = new Answering({ session, guard, isShared: options.isShared, send, exitBroken })
    const discovery = await session.discover()
    // A table that cannot be read is an error of the query that needs it.
    for (const table of readAhead) await session.tables.refresh([table]).catch(() => undefined)
    send({ kind: 'ready', discovery })
  } catch (error) {
    exitBroken(error)
  }
}

/** Ends this process after an unexpected error; the parent starts another one. */
function exitBroken(error: unknown): void {
  if (process.connected) process.send?.({ kind: 'broken', cause: causeText(error) } satisfies FromChild, end)
}

/** Ends the process at once, with its running queries. If its parent was killed, the next engine removes the parent's folder. */
function end(): void {
  answering?.interrupt()
  process.removeAllListeners('message')
  if (process.connected) process.disconnect()
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  // Threads of a query that cannot be interrupted would keep the process alive.
  process.kill(process.pid, 'SIGKILL')
}

process.on('message', (message: ToChild) => {
  if (message.kind === 'open') void open(message.options, message.readAhead)
  else if (message.kind === 'request') void answering!.answer(message.id, message.request)
  else if (message.kind === 'cancel') answering?.cancel(message.id)
  else if (message.kind === 'taken') answering?.take(message.id)
  else end()
})
process.on('disconnect', end)
// Ctrl-C on a terminal reaches both processes. The child ignores it: the parent first completes its requests and then ends the
// child.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
