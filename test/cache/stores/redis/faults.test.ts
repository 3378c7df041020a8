import { createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
import { callsThrough } from './calls.js'
import { isPendingWithoutRedis, openRedisServer, openRedisServerAt, type RedisServer } from './redis-server.js'
import { bodyOf, closeReplicas, failure, KEY, openReplica, type Replica } from './replicas.js'
import { openLine } from './slow-line.js'

const noop = (): void => {}

/** A server that is not a Redis, on a port at which a client expects one. */
async function openImpostor(serve: (socket: Socket) => void): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', noop)
    serve(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { readonly port: number }).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const says =
  (answer: string | Buffer) =>
  (socket: Socket): void =>
    void socket.on('data', () => socket.write(answer))

describe('a Redis that fails', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  afterEach(closeReplicas)

  const NO_REDIS = /^Redis (does not answer|cannot be used: (what answers is not a Redis|it closed the connection))/
  const IMPOSTORS: readonly (readonly [what: string, serve: (socket: Socket) => void, told: RegExp])[] = [
    ['bytes without sense', says(Buffer.from([1, 2, 255, 0, 13, 10, 65, 13, 10])), NO_REDIS],
    ['HTTP', socket => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), NO_REDIS],
    ['more than it was asked', says('+OK\r\n'.repeat(20)), NO_REDIS],
    ['OK to everything', says('+OK\r\n'), NO_REDIS],
    ['with a number', says(':1\r\n'), NO_REDIS],
    ['with a list of nothing', says('*2\r\n$-1\r\n*0\r\n'), NO_REDIS],
    ['with a text that never ends', says('$99999999999\r\nabc'), NO_REDIS],
    ['with a refusal', says('-MOVED 1 10.0.0.1:1\r\n'), /^Redis (refused \w+|cannot be used): MOVED$/],
    ['nothing', noop, NO_REDIS],
    ['by hanging up', socket => void socket.destroy(), NO_REDIS],
  ]
  for (const [what, serve, told] of IMPOSTORS) {
    it(`that answers ${what} is reported, fails no call, and is used as soon as a Redis is there`, async () => {
      const impostor = await openImpostor(serve)
      const url = `redis://127.0.0.1:${impostor.port}`
      const replica = await openReplica({ url, commandMs: 40 })
      const { call } = callsThrough(replica.store)
      for (const key of ['e:1', 'e:2', 'e:3'])
        expect(await call(key)).to.deep.equal({ outcome: 'miss', body: `rows of ${key}` })
      expect((await call('e:1')).outcome).to.equal('hit')
      expect([...new Set(replica.events.map(({ kind }) => kind))]).to.deep.equal(['store.failed'])
      expect(await failure(replica.shared.get(KEY))).to.match(told)
      await impostor.close()
      const server = await openRedisServerAt(impostor.port)
      try {
        await until(async () => (await failure(replica.shared.set(KEY, storedResult(), 60_000))) === 'none', 'a result')
      } finally {
        await closeReplicas()
        await server.close()
      }
    })
  }

  describe('for a while', () => {
    let server: RedisServer
    before(async () => {
      // The server takes a tenth of a millisecond to load each key, and answers every hundred keys.
      server = await openRedisServer('--key-load-delay', '100', '--loading-process-events-interval-bytes', '1024')
    })
    after(() => server.close())

    it('because it is a read-only replica: is read, memory is kept, and its address is left for a master that it leads to', async () => {
      const refusal = 'Redis refused SET: it is a read-only replica (READONLY)'
      const master = await openRedisServer()
      const line = await openLine(server.port)
      try {
        const replica = await openReplica({ url: line.url })
        await replica.shared.set(KEY, storedResult('rows'), 60_000)
        server.cli('CONFIG', 'SET', 'replica-serve-stale-data', 'yes')
        server.cli('REPLICAOF', '127.0.0.1', String(master.port))
        expect(await failure(replica.shared.set(KEY, storedResult(), 60_000))).to.equal(refusal)
        const { call } = callsThrough(replica.store)
        expect(await call('e:1')).to.deep.equal({ outcome: 'miss', body: 'rows of e:1' })
        await pause(1_000)
        expect((await call('e:1')).outcome).to.equal('hit')
        expect(await failure(replica.shared.get(KEY))).to.equal('none')
        expect(replica.troubles, 'the connection stays').to.deep.equal([])
        line.leadTo(master.port)
        await until(async () => (await failure(replica.shared.set(KEY, storedResult(), 60_000))) === 'none', 'a result')
        expect(replica.troubles).to.deep.equal([refusal])
        server.cli('REPLICAOF', 'NO', 'ONE')
      } finally {
        await closeReplicas()
        await line.close()
        await master.close()
      }
    })

    it('because it loads its data: is reported, and used when the data is loaded', async () => {
      const before = await openReplica({ url: server.url })
      await before.shared.set(KEY, storedResult('rows'), 60_000)
      server.cli('EVAL', "for i = 1, 15000 do redis.call('SET', 'x' .. i, 'x') end", '0')
      server.cli('SAVE')
      await server.kill()
      await server.start()
      const replica = await openReplica({ url: server.url, commandMs: 200 })
      const told: string[] = []
      replica.store.replicas.onEvent(event => event.type === 'purged' && told.push(event.prefix))
      // While it loads it answers between keys, which a busy machine may make too late.
      const refusal = /^Redis refused (PING|MGET): it is still loading its data \(LOADING\)$/
      await until(async () => refusal.test(await failure(replica.shared.get(KEY))), 'the refusal')
      const { call } = callsThrough(replica.store)
      expect(await call('e:1')).to.deep.equal({ outcome: 'miss', body: 'rows of e:1' })
      await until(async () => (await bodyOf(replica.shared)) === 'rows', 'the result')
      await until(() => told.includes(''), 'that purges may have been missed')
    })

    it('because it is slow: is waited for, and results are still shared', async () => {
      const line = await openLine(server.port)
      const replicas: Replica[] = []
      for (const _ of [1, 2]) replicas.push(await openReplica({ url: line.url }))
      line.delay(15, 15)
      const [a, b] = replicas.map(({ store }) => callsThrough(store))
      const together = await Promise.all([a!.call('e:slow'), b!.call('e:slow'), a!.call('e:slow')])
      expect(together.map(({ outcome }) => outcome).sort()).to.deep.equal(['coalesced', 'coalesced', 'miss'])
      await pause(200)
      expect(replicas.flatMap(({ events }) => events)).to.deep.equal([])
      await closeReplicas()
      await line.close()
    })
  })
})
