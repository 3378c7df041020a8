import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { RedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import { resultStoreContract, storedResult } from '../../../contracts/result-store.js'
import { freePort } from '../../../free-port.js'
import { pause, until } from '../../../until.js'
import {
  type Certificates,
  isPendingWithoutRedis,
  makeCertificates,
  openRedisNodes,
  openRedisServer,
  openTlsServer,
  type RedisServer,
} from './redis-server.js'
import { bodyOf, closeReplicas, failure, KEY, openReplica } from './replicas.js'

/** Runs `sluice cache purge` in its own process, since Node reads certificates at its start: exit code and standard error. */
function purge(environment: Readonly<Record<string, string>>): Promise<{ code: number | null; err: string }> {
  const args = ['dist/cli/main.js', 'cache', 'purge']
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...environment } })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise(resolve => child.once('exit', code => resolve({ code, err })))
}

describe('a Redis with access control', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis('openssl')) return

  afterEach(closeReplicas)

  describe('with TLS', () => {
    let certificates: Certificates
    let server: RedisServer
    before(async () => {
      certificates = makeCertificates()
      server = await openTlsServer(certificates, '--requirepass', 'hunter2')
    })
    after(async () => {
      await server.close()
      certificates.remove()
    })

    const CASES: readonly (readonly [what: string, host: string, trusts: boolean, error: string | null])[] = [
      ['whose authority NODE_EXTRA_CA_CERTS names is used', 'localhost', true, null],
      [
        'that no authority vouches for is not',
        'localhost',
        false,
        'its certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN)',
      ],
      [
        'with a certificate for another name is not',
        '127.0.0.1',
        true,
        'its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)',
      ],
    ]
    for (const [what, host, trusts, error] of CASES) {
      it(`one ${what}`, async () => {
        const url = `rediss://:hunter2@${host}:${server.port}`
        const extra = trusts ? { NODE_EXTRA_CA_CERTS: certificates.authority } : {}
        const { code, err } = await purge({ REDIS_URL: url, ...extra })
        const expected =
          error === null ? '' : `sluice: nothing, or not all, was purged: Redis cannot be used: ${error}\n`
        expect([code, err]).to.deep.equal([error === null ? 0 : 3, expected])
      })
    }

    it('and a cluster is reached at every node, by the name that its certificate is for', async () => {
      const ports = [await freePort(), await freePort(), await freePort()]
      // Redis 7 or later: nodes of older versions have addresses only, no host names.
      const named = ['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname']
      const options = ['--tls-cluster', 'yes', ...named]
      const nodes = await openRedisNodes(3, node => [...certificates.options(ports[node]!), ...options])
      try {
        const plain = await openReplica({ url: nodes[0]!.url, prefix: 'sluice:' })
        for (let i = 0; i < 30; i += 1) await plain.shared.set(`e:${i}`, storedResult(), 60_000)
        const results = (): readonly number[] =>
          nodes.map(({ cli }) => cli('KEYS', 'sluice:r8:*').split('\n').filter(Boolean).length)
        expect(results().every(count => count > 0)).to.equal(true)
        const environment = { NODE_EXTRA_CA_CERTS: certificates.authority, REDIS_URL: `rediss://localhost:${ports[1]}` }
        expect(await purge(environment)).to.deep.equal({ code: 0, err: '' })
        expect(results()).to.deep.equal([0, 0, 0])
        await until(async () => (await plain.shared.get('e:1')) === undefined, 'the purge')
      } finally {
        await closeReplicas()
        await Promise.all(nodes.map(node => node.close()))
      }
    })

    it('is distinguished from a Redis without TLS', async () => {
      const bare = await openReplica({ url: `redis://:hunter2@localhost:${server.port}` })
      expect(await failure(bare.shared.get(KEY))).to.equal(
        'Redis cannot be used: it closed the connection, as a server does that wants TLS (rediss://) (ECONNRESET)',
      )
    })
  })

  describe('with users', () => {
    let server: RedisServer
    const urlOf = (user: string, password: string): string => `redis://${user}:${password}@127.0.0.1:${server.port}`
    /** As docs/caching.md says it; its keys begin with the prefix that is the default. */
    const [, ...rights] = (/^ACL SETUSER (.*)$/m.exec(readFileSync('docs/caching.md', 'utf8'))?.[1] ?? '').split(' ')
    const prefix = 'sluice:'

    before(async () => {
      server = await openRedisServer()
      server.cli('ACL', 'SETUSER', 'sluice', ...rights.map(right => (right.startsWith('>') ? '>hunter2' : right)))
      server.cli('ACL', 'SETUSER', 'reader', 'on', '>hunter2', '~*', '&*', '+@all', '-set')
      server.cli('ACL', 'SETUSER', 'default', 'off')
    })
    after(() => server.close())
    beforeEach(() => asAdmin('FLUSHALL'))
    const asAdmin = (...command: readonly string[]): string =>
      server.cli('--user', 'reader', '--pass', 'hunter2', ...command)

    resultStoreContract('Redis, with the rights that docs/caching.md lists,', async () => {
      return (await openReplica({ url: urlOf('sluice', 'hunter2'), prefix })).shared
    })

    it('needs no more rights than docs/caching.md lists, and all of these', async () => {
      asAdmin('ACL', 'LOG', 'RESET')
      const url = urlOf('sluice', 'hunter2')
      const [a, b] = [await openReplica({ url, prefix }), await openReplica({ url, prefix })]
      const lease = await a.shared.replicas.claim(KEY, '')
      await a.tiered.set(KEY, storedResult(), 60_000)
      await pause(1_100) // Meanwhile the lease is renewed.
      await lease?.release({ kind: 'unknown' })
      expect(await b.shared.replicas.claim(KEY, '')).to.not.equal(null)
      expect(await new RedisCounters(a.link, prefix).add('billed', 5, 60_000)).to.equal(5)
      await b.tiered.purge('')
      expect([...a.events, ...b.events, ...a.troubles, ...b.troubles]).to.deep.equal([])
      expect(asAdmin('ACL', 'LOG')).to.equal('')

      const used = [...asAdmin('INFO', 'commandstats').matchAll(/^cmdstat_(\w+):/gm)].map(([, name]) => name)
      const listed = rights.filter(right => right.startsWith('+')).map(right => right.slice(1))
      expect(listed.filter(name => !used.includes(name))).to.deep.equal([])
    })

    const REFUSED: readonly (readonly [what: string, user: string, password: string, message: string])[] = [
      ['a wrong password', 'sluice', 'hunter3', 'the user or password is wrong (WRONGPASS)'],
      ['an unknown user', 'nobody', 'hunter2', 'the user or password is wrong (WRONGPASS)'],
    ]
    for (const [what, user, password, message] of REFUSED) {
      it(`gives an error for ${what}, without the user name and the password`, async () => {
        const { shared, troubles } = await openReplica({ url: urlOf(user, password), prefix })
        expect(await failure(shared.get(KEY))).to.equal(`Redis cannot be used: ${message}`)
        expect(troubles.join()).to.not.match(/hunter|nobody/)
      })
    }

    it('gives an error for a command that the user may not send', async () => {
      await (await openReplica({ url: urlOf('sluice', 'hunter2'), prefix })).shared.get(KEY) // Makes the marks of purges.
      const { shared } = await openReplica({ url: urlOf('reader', 'hunter2'), prefix })
      expect(await bodyOf(shared)).to.equal('')
      expect(await failure(shared.set(KEY, storedResult(), 60_000))).to.equal(
        'Redis refused SET: the user may not do that (NOPERM)',
      )
    })

    it('gives an error that names the missing right of a connection', async () => {
      asAdmin('ACL', 'SETUSER', 'deaf', 'on', '>hunter2', '~*', 'resetchannels', '+@all')
      asAdmin('ACL', 'SETUSER', 'pingless', 'on', '>hunter2', '~*', '&*', '+@all', '-ping')
      for (const [user, name] of [
        ['deaf', 'SUBSCRIBE'],
        ['pingless', 'PING'],
      ] as const) {
        const replica = await openReplica({ url: urlOf(user, 'hunter2'), prefix })
        await until(async () => {
          return (await failure(replica.shared.get(KEY))) === `Redis refused ${name}: the user may not do that (NOPERM)`
        }, name)
      }
    })

    it('gives an error when it requires a password', async () => {
      const { shared } = await openReplica({ url: server.url, prefix })
      expect(await failure(shared.get(KEY))).to.equal('Redis cannot be used: it wants a user and password (NOAUTH)')
    })
  })
})
