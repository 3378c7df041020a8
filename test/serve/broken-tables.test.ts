/** A table schema with a mistake: endpoints that read the table are broken, and all others are served. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { LoadError, RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { command } from '../cli/command.js'
import { itInAll } from '../sample-size.js'
import { settingsOf } from './folder-settings.js'

const SOUND = '[{ "name": "n", "type": "INTEGER" }]'
const BROKEN = '[{ "name": "n", "type": "INTEGR" }]'
const MISTAKE = ':1:25: the type "INTEGR" of field "n" is not supported; did you mean "INTEGER"? [table/unknown-type]'

describe('a table schema with a mistake', function () {
  this.timeout(600_000)
  let folder = ''
  let runner: Runner | null = null
  let events: Event[] = []

  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  const endpoint = (n: number, sql: string): void =>
    write(`endpoints/n${n}.yaml`, `id: 0000000${n}-0000-4000-8000-00000000000a\nname: n${n}\nsql: |\n  ${sql}\n`)
  const start = async (more: Partial<Settings> = {}): Promise<Runner> => {
    runner = await createRunner({ ...settingsOf(folder), ...more }, { observe: event => void events.push(event) })
    return runner
  }
  const rowsOf = async (name: string): Promise<string> => Buffer.from((await runner!.call(name)).body).toString()
  const failureOf = async (name: string): Promise<readonly unknown[]> => {
    const thrown: unknown = await runner!.call(name).catch(error => error)
    expect(thrown).to.be.instanceOf(RunnerError)
    const { code, diagnostics } = thrown as RunnerError
    return [code, ...diagnostics.map(d => `${d.file.slice(folder.length + 1)}:${d.line}:${d.column} ${d.rule}`)]
  }
  const flags = (): readonly string[] =>
    ['endpoints', 'tables', 'data'].flatMap(name => [`--${name}`, join(folder, name)])
  const BECAUSE = ['ENDPOINT_BROKEN', 'tables/d.t.json:1:25 table/unknown-type']

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-broken-table-'))
    mkdirSync(join(folder, 'data/d'), { recursive: true })
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    // Parquet files say what their columns are, so these tables could be read without a schema.
    for (const name of ['t', 'u', 's_1', 's_2']) {
      await connection.run(
        `COPY (SELECT 7::BIGINT AS n) TO '${join(folder, `data/d/${name}.parquet`)}' (FORMAT PARQUET)`,
      )
    }
    connection.closeSync()
    instance.closeSync()
  })
  beforeEach(() => {
    events = []
    for (const name of ['endpoints', 'tables', 'functions']) {
      rmSync(join(folder, name), { recursive: true, force: true })
      mkdirSync(join(folder, name))
    }
    write('tables/d.t.json', BROKEN)
    endpoint(1, 'SELECT n FROM d.t')
    endpoint(2, 'SELECT n FROM d.u')
  })
  afterEach(async () => {
    await runner?.close()
    runner = null
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('breaks the endpoints that read the table, and the log has it once', async () => {
    write('functions/d.f.sql', 'CREATE FUNCTION d.f() AS ((SELECT MAX(n) FROM d.t));')
    endpoint(3, 'SELECT d.f() AS n')
    endpoint(4, 'SELECT table_name FROM d.INFORMATION_SCHEMA.TABLES')
    await start()
    expect(await rowsOf('n2')).to.equal('{"result":[{"n":7}]}')
    for (const name of ['n1', 'n3', 'n4']) expect(await failureOf(name), name).to.deep.equal(BECAUSE)
    const told = events.filter(event => event.kind === 'manifests.broken')
    expect(told.map(one => [one.manifests, ...one.diagnostics.map(({ rule }) => rule)])).to.deep.equal([
      [3, 'table/unknown-type'],
    ])
  })

  it('breaks the wildcard tables of a shard, and the shards of a wildcard table', async () => {
    rmSync(join(folder, 'tables/d.t.json'))
    write('tables/d.s_1.json', BROKEN)
    for (const [n, table] of [
      [3, 'd.s_*'],
      [4, 'd.s_1'],
      [5, 'd.s_2'],
    ] as const)
      endpoint(n, `SELECT n FROM \`${table}\``)
    await start()
    for (const name of ['n3', 'n4'])
      expect((await failureOf(name))[1]).to.equal('tables/d.s_1.json:1:25 table/unknown-type')
    expect(await rowsOf('n5')).to.equal('{"result":[{"n":7}]}')
    await runner!.close()
    rmSync(join(folder, 'tables/d.s_1.json'))
    write('tables/d.s_*.json', BROKEN)
    await start()
    for (const name of ['n3', 'n4', 'n5']) {
      expect((await failureOf(name))[1]).to.equal('tables/d.s_*.json:1:25 table/unknown-type')
    }
    expect(await rowsOf('n1')).to.equal('{"result":[{"n":7}]}')
  })

  itInAll('ends the start with strict, and is told by `validate`, `call` and `query`', async () => {
    expect(await start({ strict: true }).catch(error => error)).to.be.instanceOf(LoadError)
    const line = `${folder}/tables/d.t.json${MISTAKE}\n`
    const validated = await command(['validate', ...flags()])
    expect(validated).to.deep.include({ code: 1, err: line, out: `2 manifests, 2 variants: 1 error, 0 warnings\n` })
    const broken = await command(['call', 'n1', ...flags()])
    expect([broken.code, broken.err.split('\n')[0]]).to.deep.equal([1, line.trim()])
    expect(await command(['call', 'n2', '--format', 'csv', ...flags()])).to.include({ code: 0, out: 'n\r\n7\r\n' })
    const asked = flags().slice(2)
    expect((await command(['query', 'SELECT n FROM d.t', ...asked])).err).to.include(
      `Table not found: d.t; its schema has a mistake: ${folder}/tables/d.t.json:1:25: the type "INTEGR"`,
    )
    expect(await command(['query', 'SELECT n FROM d.u', '--format', 'csv', ...asked])).to.include({ code: 0 })
  })

  it('changes nothing of what is served when it comes with a reload, whether an endpoint reads the table or none does', async () => {
    write('tables/d.t.json', SOUND)
    await start()
    for (const table of ['t', 'v']) {
      write(`tables/d.${table}.json`, BROKEN)
      endpoint(3, 'SELECT 3 AS n')
      expect(await runner!.reload().catch(error => error)).to.be.instanceOf(LoadError)
      expect(await rowsOf('n1')).to.equal('{"result":[{"n":7}]}')
      expect(await failureOf('n3')).to.deep.equal(['ENDPOINT_UNKNOWN'])
      write(`tables/d.${table}.json`, SOUND)
    }
    await runner!.reload()
    expect(await rowsOf('n3')).to.equal('{"result":[{"n":3}]}')
  })
})
