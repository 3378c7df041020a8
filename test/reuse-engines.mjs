/**
 * Lets the engines that a test process opens one after the other share child processes: to start a child process takes 200 ms
 * of processor time, to open a session in it 40 ms. `fork` of an engine's process returns an object like a ChildProcess for a
 * session in a host, which may have served another engine before (test/engine-host.mjs). The sessions, the code that answers
 * requests and the messages are the engine's own.
 */
import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'

const pathOf = path => fileURLToPath(new URL(path, import.meta.url))
const CHILD = pathOf('../dist/runner/engines/duckdb/child/child-main.js')
const HOST = pathOf('engine-host.mjs')

/**
 * Test files about the process itself: its start, its memory, its end, and what it leaves behind. Their engines do not share
 * processes.
 */
const ABOUT_PROCESSES =
  /^test\/(?:engines\/duckdb\/(?:process\/|child\/|runaway\.|embedded\.|temporary-folder\.)|googlesql-duckdb\/runtime\/javascript\/|serve\/|package\/)/

/** The most hosts without a session that are kept; each uses about 130 MB. */
const MOST_IDLE = 2

const { fork } = childProcess
/** Hosts without a session, the last used at the end, each with the options of its fork as a key. */
const idle = []
const hosts = new Set()
let isOn = false

childProcess.fork = (module, ...rest) => (isOn && module === CHILD ? childOf(...hostFor(rest.at(-1))) : fork(module, ...rest))
syncBuiltinESMExports()

/** Decides by the test file whether the engines that are opened from now on share processes. */
export function reuseEnginesIn(file) {
  isOn = !ABOUT_PROCESSES.test(file)
}

export const hostIds = () => [...hosts].map(({ pid }) => pid)

/** Ends the hosts without a session. A host with a session keeps this process alive, as an engine that is not closed does. */
export async function endIdleHosts() {
  await Promise.all(idle.splice(0).map(({ host }) => end(host)))
}

function hostFor(options) {
  const { HOME, ...env } = options.env
  const key = JSON.stringify({ ...options, env })
  const at = idle.findLastIndex(entry => entry.key === key)
  if (at >= 0) return [idle.splice(at, 1)[0].host, key]
  const host = fork(HOST, [], options)
  hosts.add(host)
  host.once('exit', () => {
    hosts.delete(host)
    const place = idle.findIndex(entry => entry.host === host)
    if (place >= 0) idle.splice(place, 1)
  })
  return [host, key]
}

/** An object like a ChildProcess for one session, with the members that runner/engines/duckdb/process/fork-child.ts uses. */
function childOf(host, key) {
  const child = new EventEmitter()
  const listeners = {
    message: message => (message.kind === 'closed' ? release() : child.emit('message', message)),
    error: error => child.emit('error', error),
    exit: (code, signal) => leave(code, signal),
  }
  for (const [event, listener] of Object.entries(listeners)) host.on(event, listener)
  host.ref()
  host.channel?.ref()
  const leave = (code, signal) => {
    for (const [event, listener] of Object.entries(listeners)) host.off(event, listener)
    child.connected = false
    child.emit('exit', code, signal)
  }
  const release = () => {
    host.unref()
    host.channel.unref()
    idle.push({ host, key })
    if (idle.length > MOST_IDLE) void end(idle.shift().host)
    // An engine's own process ends with the same signal when it is closed.
    leave(null, 'SIGKILL')
  }
  return Object.assign(child, {
    pid: host.pid,
    connected: true,
    send: (message, onSent) =>
      child.connected ? host.send(message, onSent) : process.nextTick(onSent, new Error('This child has ended')),
    kill: signal => child.connected && host.kill(signal),
  })
}

async function end(host) {
  host.ref()
  await new Promise(resolve => {
    host.once('exit', resolve)
    host.kill('SIGKILL')
  })
}
