import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect } from 'chai'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { command, endLeftovers, type Started, scratch, startServe } from './command.js'

const READY = /^ready http:\/\/127\.0\.0\.1:\d+ endpoints=3 engine=duckdb$/m
const EXPLORER = /^explorer http:\/\/127\.0\.0\.1:\d+\/explorer\/$/

describe('sluice serve', function () {
  this.timeout(600_000)
  const folder = scratch()
  const data = folder.path('data')
  let holder: Server
  let heldPort = ''

  before(async () => {
    mkdirSync(folder.path('bare'))
    mkdirSync(folder.path('data', 'logs'), { recursive: true })
    const entry = { id: 'e1', project: 'p1', timestamp: new Date().toISOString(), event_message: '', metadata: [{}] }
    writeFileSync(folder.path('data', 'logs', 'edge.ndjson'), `${JSON.stringify(entry)}\n`)
    holder = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => holder.once('listening', resolve))
    heldPort = String((holder.address() as AddressInfo).port)
  })
  after(() => {
    endLeftovers()
    holder.close()
    folder.remove()
  })

  it('shows a token once, and loses nothing when it is killed and started again', async () => {
    const ask = '/api/endpoints/query/logs.all?project=p1&project_tier=PRO'
    const first = await startServe(['--port', '0', '--data', data])
    const lines = first.out().trimEnd().split('\n')
    expect(lines).to.have.length(3)
    expect(lines[0]).to.match(/^token [\w-]{43} /)
    expect(lines[1]).to.match(READY)
    expect(lines[2]).to.match(EXPLORER)
    const headers = { 'X-API-KEY': first.token! }
    const answer = await first.get(ask, headers)
    expect(answer.status).to.equal(200)
    const body = await answer.text()
    expect(body).to.include('"id":"e1"')
    const tokens = readFileSync(folder.path('data', 'tokens.json'), 'utf8')
    expect(tokens).to.not.include(first.token)
    expect(statSync(folder.path('data', 'tokens.json')).mode & 0o777).to.equal(0o600)
    expect(await first.end('SIGKILL')).to.equal(null)

    // The flag has precedence over the variable, which names a port in use.
    const second = await startServe(['--port', '0', '--data', data, '--grace', '1'], { PORT: heldPort })
    expect(second.out()).to.match(READY)
    const again = await second.get(ask, headers)
    expect([again.status, await again.text()]).to.deep.equal([200, body])
    expect((await second.get(ask, { 'X-API-KEY': `${first.token}x` })).status).to.equal(401)
    expect(readFileSync(folder.path('data', 'tokens.json'), 'utf8')).to.equal(tokens)

    // Neither an idle connection nor one with half a request keeps the server running beyond its grace period.
    const { port } = new URL(second.url)
    const slow = connect(Number(port), '127.0.0.1', () => slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\n'))
    slow.on('error', () => {})
    await new Promise(resolve => slow.once('connect', resolve))
    const began = Date.now()
    expect(await second.end('SIGTERM')).to.equal(0)
    expect(Date.now() - began).to.be.below(60_000)
    slow.destroy()
  })

  itInAll(
    'takes its port from PORT, and ends at once with 0 on SIGINT; with SLUICE_TOKEN it creates no token',
    async () => {
      mkdirSync(folder.path('empty'))
      const environment = {
        PORT: '0',
        SLUICE_DATA: folder.path('empty'),
        SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
        SLUICE_GRACE: '30',
        SLUICE_EXPLORER: 'off',
      }
      const server = await startServe([], environment)
      expect(server.out()).to.match(READY)
      expect(server.out()).to.not.contain('explorer')
      const list = await server.get('/api/endpoints', { Authorization: 'Bearer unrestricted-token-of-32-letters' })
      expect(list.status).to.equal(200)
      await list.text()
      const began = Date.now()
      expect(await server.end('SIGINT')).to.equal(0)
      expect(Date.now() - began).to.be.below(60_000)
    },
  )

  describe('while manifests are edited', () => {
    const id = '3f0a7a52-6f0e-4a7e-8b8e-5f3c9a1d2e77'
    const manifest = (sql: string): string => `id: ${id}\nname: one\nsql: |\n  ${sql}\n`
    const file = folder.path('edited', 'one.yaml')
    const flags = ['--port', '0', '--endpoints', folder.path('edited'), '--data', data]
    const environment = { SLUICE_TOKEN: 'unrestricted-token-of-32-letters' }
    const answer = async (server: Started): Promise<string> =>
      (await server.get('/api/endpoints/query/one', { 'X-API-KEY': 'unrestricted-token-of-32-letters' })).text()
    beforeEach(() => {
      mkdirSync(folder.path('edited'), { recursive: true })
      writeFileSync(file, manifest('SELECT 1 AS n'))
    })

    it('reads them at SIGHUP, reports where they are wrong, and goes on serving', async () => {
      const server = await startServe(flags, environment)
      writeFileSync(file, manifest('SELECT 2 AS n'))
      expect(await answer(server)).to.equal('{"result":[{"n":1}]}')
      server.signal('SIGHUP')
      await until(async () => (await answer(server)) === '{"result":[{"n":2}]}', 'the edit is served')
      // The edit is served before its line is written.
      const reloaded = /"endpoints":1,"added":0,"changed":1,"removed":0,"durationMs":\d+,"msg":"manifests.reloaded"/
      await until(() => reloaded.test(server.err()), 'the log has the edit')
      writeFileSync(file, manifest('SELECT n'))
      server.signal('SIGHUP')
      await until(() => server.err().includes('manifests.refused'), 'it is told')
      expect(server.err()).to.include(
        `"diagnostics":["${file}:4:10: Unrecognized name: n; the query has no FROM [sql/error]"]`,
      )
      expect(await answer(server)).to.equal('{"result":[{"n":2}]}')
      expect(await server.end('SIGTERM')).to.equal(0)
    })

    itInAll('reads them by itself with SLUICE_WATCH', async () => {
      const server = await startServe(flags, { ...environment, SLUICE_WATCH: 'true' })
      writeFileSync(file, manifest('SELECT 2 AS n'))
      await until(async () => (await answer(server)) === '{"result":[{"n":2}]}', 'the edit is served')
      expect(await server.end('SIGTERM')).to.equal(0)
    })

    itInAll('reads them once more when SIGHUP came before it was ready', async () => {
      const child = spawn(process.execPath, ['dist/cli/main.js', 'serve', ...flags], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let log = ''
      let isAsked = false
      child.stderr.on('data', text => {
        log += String(text)
        if (isAsked || !log.includes('engine.started')) return
        isAsked = true
        child.kill('SIGHUP')
      })
      const ended = once(child, 'exit')
      await until(
        () => log.includes('manifests.reloaded') || child.exitCode !== null || child.signalCode !== null,
        'it has read them',
      )
      child.kill('SIGTERM')
      expect(await ended).to.deep.equal([0, null])
      expect(log).to.include('server.ready').and.include('manifests.reloaded')
    })

    it('ends when the terminal from which it was started is closed', async function () {
      if (spawnSync('script', ['--version']).status !== 0) this.skip()
      const command = [process.execPath, 'dist/cli/main.js', 'serve', ...flags].map(word => `'${word}'`).join(' ')
      const log = folder.path('terminal.txt')
      const terminal = spawn('script', ['--quiet', '--flush', '--command', `echo $$; exec ${command}`, log], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: 'ignore',
      })
      await until(() => readFileSync(log, { encoding: 'utf8', flag: 'a+' }).includes('ready '), 'it is ready')
      const pid = Number(/^(\d+)\r?$/m.exec(readFileSync(log, 'utf8'))![1])
      expect(existsSync(`/proc/${pid}`)).to.equal(true)
      // A SIGHUP that is not from the terminal reloads the manifests, as it does for a server without a terminal.
      process.kill(pid, 'SIGHUP')
      await until(() => readFileSync(log, 'utf8').includes('manifests.reloaded'), 'it has read them')
      terminal.kill('SIGKILL')
      await until(() => !existsSync(`/proc/${pid}`), 'it has ended')
    })
  })

  const bare = ['serve', '--log-level', 'silent', '--endpoints', folder.path('bare')]
  it('ends with 3 and names the address when it cannot listen on it', async () => {
    const { code, out, err } = await command([...bare, '--data', data], { PORT: heldPort })
    expect([code, out]).to.deep.equal([3, ''])
    expect(err).to.equal(
      `sluice: cannot listen on 127.0.0.1:${heldPort}: another program listens there; name another port with --port\n`,
    )
  })

  it('does so at once where it is the port for metrics', async () => {
    const flags = ['--port', '0', '--metrics-port', heldPort, '--drain-delay', '600']
    const { code, out, err } = await command([...bare, '--data', data, ...flags])
    expect([code, out]).to.deep.equal([3, ''])
    expect(err).to.match(/^sluice: cannot listen on .*; name another port with --metrics-port\n$/)
  })

  it('ends with 1 when a manifest is broken and --strict is given, and prints the place', async () => {
    mkdirSync(folder.path('broken'))
    const text = readFileSync('endpoints/usage.api-counts.yaml', 'utf8').replace('max_rows: 1000', 'max_row: 1000')
    writeFileSync(folder.path('broken', 'usage.api-counts.yaml'), text)
    const line = text.split('\n').findIndex(one => one.includes('max_row:')) + 1
    const { code, out, err } = await command([
      'serve',
      '--strict',
      '--port',
      '0',
      '--endpoints',
      folder.path('broken'),
      '--data',
      data,
      '--log-level',
      'silent',
    ])
    expect([code, out]).to.deep.equal([1, ''])
    expect(err)
      .to.include(`${folder.path('broken', 'usage.api-counts.yaml')}:${line}:3: `)
      .and.include('max_row')
  })

  it('ends with 2 on bad flags and variables, and prints all of them', async () => {
    const flags = ['--port', '70000', '--grace', 'soon', '--engine', 'sqlite', '--data', '']
    const { code, out, err } = await command(['serve', ...flags], {
      SLUICE_LOG_LEVEL: 'loud',
      SLUICE_CACHE_MEMORY: '-1',
    })
    expect([code, out]).to.deep.equal([2, ''])
    const told = err.trimEnd().split('\n')
    for (const name of ['--port', '--grace', '--engine', '--data', 'SLUICE_LOG_LEVEL', 'SLUICE_CACHE_MEMORY']) {
      expect(
        told.filter(line => line.startsWith(`sluice: ${name} `)),
        name,
      ).to.have.length(1)
    }
    expect(told).to.have.length(6)
  })

  it('never prints an invalid token', async () => {
    const { code, err } = await command(['serve'], { SLUICE_TOKEN: 'has a space' })
    expect(code).to.equal(2)
    expect(err).to.include('SLUICE_TOKEN').and.not.include('has a space')
  })
})

describe('sluice', () => {
  const USAGE: readonly (readonly string[])[] = [
    ['serve', '--prot', '80'],
    ['serve', '--port'],
    ['server'],
    ['call'],
    ['token', 'create', '--name', 'a'],
    ['token', 'forget'],
    ['validate', '--format', 'xml'],
  ]
  for (const argv of USAGE) {
    it(`${argv.join(' ')}: bad usage`, async () => {
      const { code, out, err } = await command(argv)
      expect([code, out]).to.deep.equal([2, ''])
      expect(err)
        .to.match(/^error: /)
        .and.include('--help')
    })
  }

  it('query: bad usage without SQL and without --functions', async () => {
    expect(await command(['query'])).to.deep.equal({
      code: 2,
      out: '',
      err: 'sluice: query takes SQL: as an argument, with --file, or from standard input\n',
    })
  })

  it('--help lists every command, and each command its flags and their variables', async () => {
    const { code, out } = await command(['--help'])
    expect(code).to.equal(0)
    for (const name of ['serve', 'validate', 'call', 'query', 'sample', 'token'])
      expect(out).to.match(new RegExp(`^  ${name}\\b`, 'm'))
    const serve = await command(['serve', '--help'])
    expect(serve.code).to.equal(0)
    for (const name of ['--port', 'PORT', '--grace', 'SLUICE_GRACE', '--tables', '--database'])
      expect(serve.out).to.include(name)
    for (const argv of [['validate'], ['call'], ['query'], ['sample'], ['token'], ['token', 'create']]) {
      expect(await command([...argv, '--help'])).to.include({ code: 0, err: '' })
    }
  })
})
