/**
 * Engines that a process of tests opens one after the other share child processes, since starting one takes 200 ms of processor
 * time, and opening a session in it 40: `fork` of an engine's process gives what looks like one, of a host that may have served
 * another engine before (test/engine-host.mjs). Sessions, what answers in them, and the messages are the engine's own.
 */
import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'

const pathOf = path => fileURLToPath(new URL(path, import.meta.url))
const CHILD = pathOf('../dist/runner/engines/duckdb/child/child-main.js')
const HOST = pathOf('engine-host.mjs')

/** What these test is the process: how it starts, what it holds, how it dies, what it leaves. */
const ABOUT_PROCESSES =
  /^test\/(?:engines\/duckdb\/(?:process\/|child\/|runaway\.|embedded\.|temporary-folder\.)|googlesql-duckdb\/runtime\/javascript\/|serving\/|package\/)/

/** The hosts without a session that are kept; each holds some 130 MB. */
const MOST_IDLE = 2

const { fork } = childProcess
/** Hosts without a session, the last used at the end, each with what it was forked with. */
const idle = []
const hosts = new Set()
let isOn = false

childProcess.fork = (module, ...rest) => (isOn && module === CHILD ? childOf(...hostFor(rest.at(-1))) : fork(module, ...rest))
syncBuiltinESMExports()

/** Whether the engines of this file's tests share processes. */
export function reuseEnginesIn(file) {
  isOn = !ABOUT_PROCESSES.test(file)
}

export const hostIds = () => [...hosts].map(({ pid }) => pid)

/** Ends the hosts without a session: one that has one keeps this process from ending, as an engine that is not closed does. */
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

/** The ChildProcess of one session: what runner/engines/duckdb/process/fork-child.ts uses of it. */
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
    // As the engine's own process ends when it is told to.
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
