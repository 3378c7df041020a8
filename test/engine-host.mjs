/**
 * A child process that serves the sessions of one engine after the other, as runner/engines/duckdb/child/child-main.ts serves
 * those of one; see test/reuse-engines.mjs. It ends rather than serve another one where something may be left of the last.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { startAnswering } from '../dist/runner/engines/duckdb/child/answer-requests.js'
import { openSession } from '../dist/runner/engines/duckdb/child/session.js'
import { statementGuard } from '../dist/runner/engines/duckdb/child/statement-allowlist.js'
import { causeText } from '../dist/runner/model/cause-text.js'

/** A host holds 110 to 210 MB, however many sessions it has served; an engine's process is ended from 850 MB on. */
const MOST_BYTES = 300_000_000
const FILES = '/proc/self/fd'
const THREADS = '/proc/self/task'

const count = folder => (existsSync(folder) ? readdirSync(folder).length : 0)
const send = (message, onReceived) => {
  if (process.connected) process.send(message, () => onReceived?.())
  else onReceived?.()
}

/** The session that is open, and what was there before it. */
let current = null
/** The threads after the first session, whose queries have started those that every process has. */
let mostThreads = null

async function open(options) {
  current = { folder: options.folder, files: count(FILES), requests: new Set(), isReady: false, ranJavaScript: false }
  process.env.HOME = options.folder
  try {
    const guard = statementGuard()
    current.session = await openSession(options, guard)
    current.answering = startAnswering({ session: current.session, guard, send, giveUp })
    send({ kind: 'ready', discovery: await current.session.discover() })
    current.isReady = true
  } catch (error) {
    giveUp(error)
  }
}

async function answer({ id, request }) {
  const { answering, requests } = current
  if (request.runsJavaScript) current.ranJavaScript = true
  requests.add(id)
  await answering.answer(id, request)
  requests.delete(id)
}

function giveUp(error) {
  current.isReady = false
  send({ kind: 'broken', cause: causeText(error) }, end)
}

function close() {
  const { session, isReady, requests, folder, files, ranJavaScript } = current
  if (!isReady || requests.size > 0) return end()
  session.close()
  rmSync(folder, { recursive: true, force: true })
  mostThreads ??= count(THREADS)
  const isAsBefore = count(FILES) <= files && count(THREADS) <= mostThreads
  // A sandbox that is loaded would hide that a request did not load it.
  if (!isAsBefore || ranJavaScript || process.memoryUsage.rss() > MOST_BYTES) return end()
  current = null
  send({ kind: 'closed' })
}

function end() {
  current?.answering?.interrupt()
  if (current) rmSync(current.folder, { recursive: true, force: true })
  process.kill(process.pid, 'SIGKILL')
}

process.on('message', message => {
  if (message.kind === 'open') void open(message.options)
  else if (message.kind === 'request') void answer(message)
  else if (message.kind === 'cancel') current?.answering?.cancel(message.id)
  else close()
})
process.on('disconnect', () => {
  // The engine's folder, since the process that made it is gone.
  if (current) current.folder = dirname(current.folder)
  end()
})
