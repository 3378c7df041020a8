/** Edits of manifests, partials and table schemas while a runner is serving. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { METRICS_KEPT_MS } from '../../runner/http/app.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import { LoadError } from '../../runner/model/errors.js'
import type { Event, ReloadReport } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { pause, until } from '../until.js'
import { settingsOf } from './folder-settings.js'

const manifest = (n: number, sql: string, settings = '{ cache: { ttl_seconds: 900 } }'): string =>
  `id: 0000000${n}-0000-4000-8000-000000000000\nname: n${n}\nsettings: ${settings}\nsql: |\n  ${sql}\n`
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const SCHEMA = [{ name: 'id', type: 'INT64' }]
/** The schema of a table whose files also have keys that it lacks. */
const leavingOut = (...fields: readonly object[]): string =>
  JSON.stringify({ schema: { fields }, externalDataConfiguration: { ignoreUnknownValues: true } })

describe('manifests that are edited while they are served', function () {
  this.timeout(600_000)
  let folder = ''
  let runner: Runner
  let server: RunningServer
  let events: Event[] = []

  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  const start = async (more: Partial<Settings> = {}): Promise<void> => {
    runner = await createRunner({ ...settingsOf(folder), ...more }, { observe: event => void events.push(event) })
    server = await runner.listen()
  }
  const text = async (name: string, args: Record<string, string> = {}): Promise<string> =>
    Buffer.from((await runner.call(name, args)).body).toString()
  const get = (path: string): Promise<Response> =>
    fetch(server.url + path, { headers: { 'X-API-KEY': 'unrestricted-token-of-32-letters' } })
  const cacheStatus = async (name: string): Promise<string> => {
    const response = await get(`/api/endpoints/query/${name}`)
    await response.text()
    return response.headers.get('Cache-Status')!.replace(/ttl=.*/, 'ttl')
  }
  const metric = async (name: string): Promise<string> => {
    await new Promise(resolve => setTimeout(resolve, METRICS_KEPT_MS))
    return new RegExp(`^${name} (.*)$`, 'm').exec(await (await get('/metrics')).text())![1]!
  }
  const seen = <K extends Event['kind']>(kind: K): Extract<Event, { kind: K }>[] =>
    events.filter((event): event is Extract<Event, { kind: K }> => event.kind === kind)
  /** The ids of the child processes; each engine has one. */
  const childIds = (): readonly number[] =>
    (readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number)
  const children = (): number => childIds().length
  const refusal = async (): Promise<LoadError> => {
    const thrown: unknown = await runner.reload().catch(error => error)
    if (!(thrown instanceof LoadError)) throw new TypeError('the edit was not refused', { cause: thrown })
    return thrown
  }
  const counts = ({ added, changed, removed }: ReloadReport): readonly number[] => [added, changed, removed]

  const writeAll = (): void => {
    for (const name of ['endpoints/partials', 'tables', 'data/shop']) mkdirSync(join(folder, name), { recursive: true })
    write('endpoints/n1.yaml', manifest(1, 'SELECT 1 AS n'))
    write('endpoints/n2.yaml', manifest(2, '{{> two}}'))
    write('endpoints/n3.yaml', manifest(3, 'SELECT COUNT(*) AS n FROM `shop.orders`'))
    write('endpoints/partials/two.sql', 'SELECT 2 AS n\n')
    write('tables/shop.orders.json', leavingOut(...SCHEMA))
    write('data/shop/orders.ndjson', '{"id":1,"note":"a"}\n')
  }

  beforeEach(() => {
    events = []
    folder = mkdtempSync(join(tmpdir(), 'sluice-reload-'))
    writeAll()
  })
  afterEach(async () => {
    await server?.close()
    await runner?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('and read again on request', () => {
    it('are added, changed and removed at once; unchanged ones keep their results', async () => {
      await start()
      for (const name of ['n1', 'n2', 'n3']) expect(await cacheStatus(name)).to.equal('sluice; fwd=miss; stored')
      write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n'))
      write('endpoints/n4.yaml', manifest(4, 'SELECT 4 AS n'))
      rmSync(join(folder, 'endpoints/n3.yaml'))
      expect(await text('n1')).to.equal('{"result":[{"n":1}]}')
      const report = await runner.reload()
      expect(report).to.deep.equal({ endpoints: 3, added: 1, changed: 1, removed: 1 })
      expect(seen('manifests.reloaded').map(counts)).to.deep.equal([[1, 1, 1]])
      expect(await cacheStatus('n1')).to.equal('sluice; fwd=miss; stored')
      expect(await text('n1')).to.equal('{"result":[{"n":10}]}')
      expect(await cacheStatus('n2')).to.equal('sluice; hit; ttl')
      expect((await get('/api/endpoints/query/n3')).status).to.equal(404)
      expect(await text('n4')).to.equal('{"result":[{"n":4}]}')
      const { endpoints } = (await (await get('/api/endpoints')).json()) as { endpoints: { name: string }[] }
      expect(endpoints.map(({ name }) => name)).to.deep.equal(['n1', 'n2', 'n4'])
      expect(runner.endpoints().map(({ name }) => name)).to.deep.equal(['n1', 'n2', 'n4'])
      expect(await metric('sluice_manifests_loaded')).to.equal('3')
    })

    it('change with their partials', async () => {
      await start()
      write('endpoints/partials/two.sql', 'SELECT 22 AS n\n')
      expect(counts(await runner.reload())).to.deep.equal([0, 1, 0])
      expect(await text('n2')).to.equal('{"result":[{"n":22}]}')
    })

    it('are served as before while an edit has mistakes, which is reported; and read once it is corrected', async () => {
      await start()
      write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n'))
      write('endpoints/n2.yaml', manifest(2, 'SELECT nobody AS n'))
      const file = join(folder, 'endpoints/n2.yaml')
      expect((await refusal()).diagnostics.map(d => `${d.file}:${d.line}:${d.column} ${d.rule}`)).to.deep.equal([
        `${file}:5:10 sql/error`,
      ])
      expect(seen('manifests.refused').map(({ reason }) => reason)).to.deep.equal(['the manifests hold 1 error'])
      // All or nothing: the edit of n1 is correct, but is not served until all manifests are.
      expect(await text('n1')).to.equal('{"result":[{"n":1}]}')
      expect(await text('n2')).to.equal('{"result":[{"n":2}]}')
      expect(await metric('sluice_reload_success')).to.equal('0')
      expect(await metric('sluice_manifests_loaded')).to.equal('3')
      write('endpoints/n2.yaml', manifest(2, 'SELECT 20 AS n'))
      expect(counts(await runner.reload())).to.deep.equal([0, 2, 0])
      expect(await text('n1')).to.equal('{"result":[{"n":10}]}')
      expect(await metric('sluice_reload_success')).to.equal('1')
    })

    const MISTAKES: readonly (readonly [what: string, make: () => void, rule: string])[] = [
      ['an empty manifest', () => truncateSync(join(folder, 'endpoints/n1.yaml')), 'schema/type'],
      ['half a manifest', () => truncateSync(join(folder, 'endpoints/n1.yaml'), 60), 'schema/missing-key'],
      ['a partial that is gone', () => rmSync(join(folder, 'endpoints/partials/two.sql')), 'template/unknown-partial'],
      ['half a table schema', () => truncateSync(join(folder, 'tables/shop.orders.json'), 10), 'table/syntax'],
      ['a table schema that is gone', () => rmSync(join(folder, 'tables/shop.orders.json')), 'sql/error'],
      ['a name that is taken', () => write('endpoints/n9.yaml', manifest(1, 'SELECT 9 AS n')), 'manifest/duplicate-id'],
      ['a folder that is gone', () => rmSync(join(folder, 'endpoints'), { recursive: true }), 'manifest/unreadable'],
      [
        'a folder without a manifest',
        () => ['n1', 'n2', 'n3'].forEach(name => void rmSync(join(folder, `endpoints/${name}.yaml`))),
        'manifest/none-left',
      ],
    ]
    it('are still served in spite of each mistake', async () => {
      await start()
      for (const [what, make, rule] of MISTAKES) {
        make()
        const { diagnostics } = await refusal()
        expect(
          diagnostics.map(d => d.rule),
          what,
        ).to.include(rule)
        expect(await Promise.all(['n1', 'n2', 'n3'].map(name => text(name))), what).to.deep.equal(
          [1, 2, 1].map(n => `{"result":[{"n":${n}}]}`),
        )
        rmSync(join(folder, 'endpoints'), { recursive: true, force: true })
        writeAll()
      }
    })

    it('read new tables and new schemas; running calls end with the tables they began with', async () => {
      const others = childIds()
      await start()
      const before = children()
      const [engine] = childIds().filter(id => !others.includes(id))
      // The query is under way through all steps of the reload, however long they take.
      process.kill(engine!, 'SIGSTOP')
      const underWay = get('/api/endpoints/query/n3')
      await until(() => seen('query.started').length === 1, 'the query runs')
      write('tables/shop.orders.json', leavingOut({ name: 'note', type: 'STRING' }))
      write('tables/depot.goods.json', JSON.stringify(SCHEMA))
      mkdirSync(join(folder, 'data/depot'))
      write('data/depot/goods.ndjson', '{"id":7}\n')
      write('endpoints/n3.yaml', manifest(3, 'SELECT note, id FROM `shop.orders`, `depot.goods`'))
      // Another table schema gives every endpoint another revision.
      expect(counts(await runner.reload())).to.deep.equal([0, 3, 0])
      expect(children()).to.equal(before + 1)
      expect(await text('n3')).to.equal('{"result":[{"note":"a","id":7}]}')
      expect(seen('query.done')).to.have.length(1)
      process.kill(engine!, 'SIGCONT')
      expect(await (await underWay).json()).to.deep.equal({ result: [{ n: 1 }] })
      await until(() => children() === before, 'the engine of the old tables is closed')
      expect(await text('n3')).to.equal('{"result":[{"note":"a","id":7}]}')
      expect(seen('engine.died')).to.deep.equal([])
    })

    it('are read a second time when a file changes during the reading: half an edit is never served', async () => {
      await start()
      write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n'))
      const reading = runner.reload()
      await new Promise(resolve => setImmediate(resolve))
      write('endpoints/n2.yaml', manifest(2, 'SELECT 20 AS n'))
      expect(counts(await reading)).to.deep.equal([0, 2, 0])
    })

    it('stop being warmed when they are changed or removed', async () => {
      const settings = '{ cache: { ttl_seconds: 60, warm_seconds: 1 } }'
      write('endpoints/n1.yaml', manifest(1, 'SELECT 1 AS n', settings))
      write('endpoints/n2.yaml', manifest(2, 'SELECT 2 AS n', settings))
      write('endpoints/n3.yaml', manifest(3, 'SELECT 3 AS n', settings))
      await start()
      for (const name of ['n1', 'n2', 'n3']) await text(name)
      write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n', settings))
      rmSync(join(folder, 'endpoints/n2.yaml'))
      await runner.reload()
      const warmed = (name: string): number => seen('cache.warmed').filter(({ endpoint }) => endpoint === name).length
      const next = async (): Promise<void> => {
        const before = warmed('n3')
        await until(() => warmed('n3') > before, 'what has stayed is warmed on')
      }
      await next() // Refreshes that had begun before the reload end meanwhile.
      const others = [warmed('n1'), warmed('n2')]
      await next()
      await next()
      expect([warmed('n1'), warmed('n2')]).to.deep.equal(others)
      expect(seen('cache.warm-failed')).to.deep.equal([])
    })

    it('leave no old endpoints or results in memory; unchanged ones stay', async () => {
      const settings = '{ cache: { ttl_seconds: 900, warm_seconds: 600 } }'
      const edit = (n: number, version: number): void =>
        write(`endpoints/n${n}.yaml`, manifest(n, `SELECT ${version} AS n`, settings))
      edit(1, 1)
      edit(2, 1)
      await start()
      const ask = async (): Promise<void> => {
        for (const name of ['n1', 'n2', 'n3']) for (let i = 0; i < 3; i += 1) await cacheStatus(name)
      }
      await ask()
      expect(await metric('sluice_cache_entries')).to.equal('3')
      const endpoint = (): WeakRef<object> => new WeakRef(runner.endpoints()[0]!)
      const before = endpoint()
      edit(1, 2)
      await runner.reload()
      expect(await metric('sluice_cache_entries')).to.equal('2')
      await ask()
      edit(2, 2)
      await runner.reload()
      rmSync(join(folder, 'endpoints/n2.yaml'))
      await runner.reload()
      expect(await cacheStatus('n3')).to.equal('sluice; hit; ttl')
      expect(await metric('sluice_cache_entries')).to.equal('2')
      await until(() => {
        collectGarbage()
        return before.deref() === undefined
      }, 'the endpoint as it was is garbage')
      expect(endpoint().deref()).to.not.equal(undefined)
    })

    it('can be closed during a reload', async () => {
      const before = children() // Processes of other tests.
      await start()
      write('tables/other.table.json', JSON.stringify(SCHEMA))
      const reading = runner.reload().catch(error => error)
      await server.close()
      await runner.close()
      await reading
      await until(() => children() <= before, 'its engines have ended')
      expect(seen('manifests.refused')).to.deep.equal([])
    })
  })

  describe('and watched', () => {
    const reloads = (): number => seen('manifests.reloaded').length
    const edited = async (edit: () => void): Promise<void> => {
      const before = reloads()
      edit()
      await until(() => reloads() > before, 'the edit is served')
    }

    it('are read without a request, however an editor writes them', async () => {
      await start({ watch: true })
      await edited(() => write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n')))
      expect(await text('n1')).to.equal('{"result":[{"n":10}]}')
      await edited(() => {
        write('endpoints/.n1.yaml.swp', 'no manifest')
        write('endpoints/n1.yaml~', manifest(1, 'SELECT 11 AS n'))
        renameSync(join(folder, 'endpoints/n1.yaml~'), join(folder, 'endpoints/n1.yaml'))
      })
      expect(await text('n1')).to.equal('{"result":[{"n":11}]}')
      await edited(() => {
        truncateSync(join(folder, 'endpoints/n1.yaml'))
        appendFileSync(join(folder, 'endpoints/n1.yaml'), manifest(1, 'SELECT 12 AS n'))
      })
      expect(await text('n1')).to.equal('{"result":[{"n":12}]}')
      await edited(() => {
        mkdirSync(join(folder, 'endpoints/deep'))
        write('endpoints/deep/n5.yaml', manifest(5, 'SELECT 5 AS n'))
      })
      expect(await text('n5')).to.equal('{"result":[{"n":5}]}')
      await edited(() => rmSync(join(folder, 'endpoints/deep'), { recursive: true }))
      expect((await get('/api/endpoints/query/n5')).status).to.equal(404)
      await edited(() => write('endpoints/partials/two.sql', 'SELECT 22 AS n\n'))
      expect(await text('n2')).to.equal('{"result":[{"n":22}]}')
      await edited(() => write('tables/shop.orders.json', leavingOut({ name: 'note', type: 'STRING' })))
      expect(await text('n3')).to.equal('{"result":[{"n":1}]}')
      expect(seen('manifests.refused')).to.deep.equal([])
    })

    it('outlive a folder that is removed and made again', async () => {
      await start({ watch: true })
      renameSync(join(folder, 'endpoints'), join(folder, 'away'))
      await until(() => seen('manifests.refused').length > 0, 'it is told')
      expect(await text('n1')).to.equal('{"result":[{"n":1}]}')
      await edited(() => renameSync(join(folder, 'away'), join(folder, 'endpoints')))
      await edited(() => write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n')))
      expect(await text('n1')).to.equal('{"result":[{"n":10}]}')
    })

    it('may be a mounted volume of ConfigMaps, also of partials, whose link to the files is swapped', async () => {
      const mount = (version: number): void => {
        const files = join(folder, `mount/..version-${version}`)
        mkdirSync(join(files, 'partials'), { recursive: true })
        writeFileSync(join(files, 'n1.yaml'), manifest(1, 'SELECT {{> version}} AS n'))
        writeFileSync(join(files, 'partials/version.sql'), String(version))
        symlinkSync(`..version-${version}`, join(folder, 'mount/..data_tmp'))
        renameSync(join(folder, 'mount/..data_tmp'), join(folder, 'mount/..data'))
      }
      mount(1)
      for (const name of ['n1.yaml', 'partials']) symlinkSync(`..data/${name}`, join(folder, 'mount', name))
      await start({ watch: true, endpointsDir: join(folder, 'mount') })
      expect(await text('n1')).to.equal('{"result":[{"n":1}]}')
      await edited(() => mount(2))
      expect(await text('n1')).to.equal('{"result":[{"n":2}]}')
    })

    it('are reported once where they have mistakes, and read when they are corrected', async () => {
      await start({ watch: true })
      truncateSync(join(folder, 'endpoints/n1.yaml'))
      await until(() => seen('manifests.refused').length === 1, 'it is told')
      // Three looks at the folder.
      await pause(1_500)
      expect(seen('manifests.refused')).to.have.length(1)
      expect(await metric('sluice_reload_success')).to.equal('0')
      await edited(() => write('endpoints/n1.yaml', manifest(1, 'SELECT 10 AS n')))
      expect(await text('n1')).to.equal('{"result":[{"n":10}]}')
      expect(await metric('sluice_reload_success')).to.equal('1')
    })

    it('lose no call and never show half of an edit, whatever is written', async () => {
      await start({ watch: true })
      let isOver = false
      let calls = 0
      const answers = new Set<string>()
      const caller = async (): Promise<void> => {
        while (!isOver) {
          const name = `n${1 + (calls++ % 2)}`
          const response = await get(`/api/endpoints/query/${name}`)
          const body = await response.text()
          if (response.status !== 200) throw new TypeError(`${name}: ${response.status} ${body}`)
          answers.add(`${name} ${body}`)
          await pause(5)
        }
      }
      const callers = Promise.all([caller(), caller()])
      for (let version = 1; version <= 3; version += 1) {
        await edited(() => {
          write('tables/shop.orders.json', leavingOut({ name: `c${version}`, type: 'STRING' }))
          write('endpoints/n1.yaml', '')
          write('endpoints/n2.yaml', manifest(2, `SELECT ${version} AS n`))
          write(
            'endpoints/n1.yaml',
            manifest(1, `SELECT MAX('${version}') AS n FROM \`shop.orders\` WHERE c${version} IS NULL`),
          )
        })
      }
      isOver = true
      await callers
      expect(await text('n1')).to.equal('{"result":[{"n":"3"}]}')
      expect([...answers].filter(one => one.startsWith('n1') && !/\{"n":(1|"[1-3]")\}/.test(one))).to.deep.equal([])
      expect(seen('manifests.refused')).to.deep.equal([])
    })
  })
})
