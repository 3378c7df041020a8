/**
 * A child process that serves several engines one after the other, while runner/engines/duckdb/child/child-main.ts serves only
 * one; see test/reuse-engines.mjs. It exits instead of serving another engine if the last one may have left something behind.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Answering } from '../dist/runner/engines/duckdb/child/answer-requests.js'
import { openSession } from '../dist/runner/engines/duckdb/child/session.js'
import { statementGuard } from '../dist/runner/engines/duckdb/child/statement-allowlist.js'
import { causeText } from '../dist/runner/model/cause-text.js'

/** A host uses 110 to 210 MB, however many sessions it has served; the runner ends an engine's process above 850 MB. */
const MOST_BYTES = 300_000_000
const FILES = '/proc/self/fd'
const THREADS = '/proc/self/task'

const count = folder => (existsSync(folder) ? readdirSync(folder).length : 0)
const send = (message, onReceived) => {
  if (process.connected) process.send(message, () => onReceived?.())
  else onReceived?.()
}

/** The open session, and the number of files that were open before it; null without a session. */
let current = null
/** The number of threads after the first session: its queries start the threads that every engine's process has. */
let mostThreads = null

async function open(options) {
  current = { folder: options.folder, files: count(FILES), requests: new Set(), isReady: false, ranJavaScript: false }
  process.env.HOME = options.folder
  try {
    const guard = statementGuard()
    current.session = await openSession(options)
    current.answering = new Answering({ session: current.session, guard, send, exitBroken })
    send({ kind: 'ready', discovery: await current.session.discover() })
    current.isReady = true
  } catch (error) {
    exitBroken(error)
  }
}

async function answer({ id, request }) {
  const { answering, requests } = current
  if (request.runsJavaScript) current.ranJavaScript = true
  requests.add(id)
  await answering.answer(id, request)
  requests.delete(id)
}

function exitBroken(error) {
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
  // A JavaScript sandbox that is loaded already would hide the mistake of a later request that does not load it.
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
  // Removes the engine's whole folder, since the process that created it has ended.
  if (current) current.folder = dirname(current.folder)
  end()
})
