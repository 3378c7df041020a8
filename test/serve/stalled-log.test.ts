/** The reader of the log stalls, with a real pipe and a real socket: calls go on, and the log reports the dropped lines. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import { MAX_WAITING } from '../../runner/observe/log.js'
import { scratch } from '../cli/command.js'
import { until } from '../until.js'

/** More bytes than any system buffers for an unread pipe or socket, including the bytes that this test reads ahead. */
const SYSTEM_KEEPS = 1_048_576

/** A path that makes about two kilobytes of log for each call. */
const LONG_PATH = `/${'x'.repeat(1_900)}`

interface StalledServer {
  readonly child: ChildProcess
  readonly url: string
  /** The log of the server, of which nothing has been read. */
  readonly log: Readable
}

describe('a log whose reader stalls', function () {
  this.timeout(600_000)
  const folder = scratch()
  const running = new Set<ChildProcess>()
  let pipes = 0
  before(() => mkdirSync(folder.path('data')))
  after(() => {
    for (const child of running) child.kill('SIGKILL')
    folder.remove()
  })

  async function start(log: 'pipe' | number): Promise<ChildProcess & { stdout: Readable }> {
    const child = spawn(
      process.execPath,
      ['dist/cli/main.js', 'serve', '--engine-memory', '256', '--port', '0', '--data', folder.path('data')],
      {
        env: { PATH: process.env['PATH'], SLUICE_TOKEN: 'unrestricted-token-of-32-letters' },
        stdio: ['ignore', 'pipe', log],
      },
    )
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child as ChildProcess & { stdout: Readable }
  }

  async function urlOf(child: { readonly stdout: Readable }): Promise<string> {
    let text = ''
    for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
      text += String(part)
      const ready = /^ready (\S+)/m.exec(text)
      if (ready) return ready[1]!
    }
    throw new TypeError(`it ended before it was ready: ${text}`)
  }

  const kinds: readonly (readonly [name: string, open: () => Promise<StalledServer>])[] = [
    [
      'a pipe',
      async () => {
        pipes += 1
        const path = folder.path(`pipe-${pipes}`)
        expect(spawnSync('mkfifo', [path]).status).to.equal(0)
        const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
        const writeEnd = openSync(path, constants.O_WRONLY)
        const child = await start(writeEnd)
        closeSync(writeEnd)
        const url = await urlOf(child)
        return { child, url, log: new Socket({ fd: readEnd, readable: true, writable: false }) }
      },
    ],
    [
      'a socket',
      async () => {
        const child = await start('pipe')
        return { child, url: await urlOf(child), log: child.stderr! }
      },
    ],
  ]

  /** Makes `count` calls, ten at a time; returns their statuses. */
  async function call(url: string, path: string, count: number): Promise<ReadonlySet<number>> {
    const statuses = new Set<number>()
    let left = count
    const caller = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        const answer = await fetch(url + path)
        await answer.arrayBuffer()
        statuses.add(answer.status)
      }
    }
    await Promise.all(Array.from({ length: 10 }, caller))
    return statuses
  }

  const droppedBy = async (url: string): Promise<number> =>
    Number(/^sluice_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

  for (const [name, open] of kinds) {
    it(`${name}: calls go on, the log is bounded, and its reader gets the number of missing lines`, async () => {
      const { child, url, log } = await open()
      const ended = once(child, 'exit')
      let calls = 0
      while (!((await droppedBy(url)) > 0)) {
        calls += 1 // Counts the request for the metrics.
        expect(calls * LONG_PATH.length, 'nothing is dropped').to.be.below(20 * MAX_WAITING)
        expect(await call(url, LONG_PATH, 200)).to.deep.equal(new Set([404]))
        calls += 200
      }
      calls += 1
      expect(await call(url, LONG_PATH, 100)).to.deep.equal(new Set([404]))
      expect(await call(url, '/healthz', 100)).to.deep.equal(new Set([200]))
      calls += 200

      let text = ''
      log.setEncoding('utf8')
      const told = new Promise<void>(resolve => {
        log.on('data', part => {
          text += String(part)
          if (/"dropped":\d+,.*\n/.test(text)) resolve()
        })
      })
      await told
      expect(text.length).to.be.below(MAX_WAITING + SYSTEM_KEEPS)
      // Each gap has a line; what the metrics say may be a second old.
      const dropped = (): number =>
        [...text.matchAll(/"dropped":(\d+),"msg":"dropped \1 lines/g)].reduce(
          (sum, [, count]) => sum + Number(count),
          0,
        )
      await until(async () => {
        calls += 1
        return (await droppedBy(url)) === dropped()
      }, 'the metrics have the number')
      child.kill('SIGTERM')
      expect((await ended)[0]).to.equal(0)
      if (!log.readableEnded) await once(log, 'end')
      const lines = text.trimEnd().split('\n')
      const answered = lines.filter(line => (JSON.parse(line) as { msg: string }).msg === 'request.done').length
      expect(answered + dropped()).to.equal(calls)
      expect(text).to.include('server.closed')
    })

    it(`${name}: calls go on when its reader leaves, the lines are counted, and the process ends normally`, async () => {
      const { child, url, log } = await open()
      const ended = once(child, 'exit')
      log.on('error', () => undefined).destroy()
      expect(await call(url, LONG_PATH, 200)).to.deep.equal(new Set([404]))
      await until(async () => (await droppedBy(url)) > 0, 'the metrics have lines that were dropped')
      child.kill('SIGTERM')
      expect((await ended)[0]).to.equal(0)
    })

    it(`${name}: the process ends normally while the log is not read`, async () => {
      const { child, url, log } = await open()
      const ended = once(child, 'exit')
      expect(await call(url, LONG_PATH, 700)).to.deep.equal(new Set([404]))
      child.kill('SIGTERM')
      expect((await ended)[0]).to.equal(0)
      log.destroy()
    })
  }
})
