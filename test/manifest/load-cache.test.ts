import { expect } from 'chai'
import { type TableCatalogue, tableCatalogue } from '../../googlesql/tables.js'
import { type FaultlessManifest, loadSources } from '../../runner/manifest/load.js'
import { LoadCache } from '../../runner/manifest/load-cache.js'
import { checkByTranslation } from './check-by-translation.js'

const none = tableCatalogue([])
const manifest = (n: number, sql: string) => ({
  file: `n${n}.yaml`,
  text: `id: 0000000${n}-0000-4000-8000-000000000000\nname: n${n}\nsql: |\n  ${sql}\n`,
})
const partial = (name: string, text: string) => ({ file: `partials/${name}.sql`, text })
const MANIFESTS = [manifest(1, 'SELECT 1 AS n'), manifest(2, '{{> two}}'), manifest(3, 'SELECT 3 AS n')]
const PARTIALS = [partial('two', '{{> inner}}'), partial('inner', 'SELECT 2 AS n'), partial('other', 'SELECT 4 AS n')]

describe('the result of an earlier load', () => {
  /** A function that loads manifests and also returns the SQL texts that were checked for it. */
  function loader() {
    const cache = new LoadCache<FaultlessManifest>()
    return async (manifests = MANIFESTS, partials = PARTIALS, tables: TableCatalogue = none) => {
      const checked: string[] = []
      const check = checkByTranslation(tables)
      const checkSql: typeof check = (sql, types, values) => {
        checked.push(sql.trim())
        return check(sql, types, values)
      }
      const loaded = await loadSources(manifests, partials, { tables, checkSql, cache })
      return { ...loaded, checked, told: loaded.diagnostics.map(d => `${d.file}:${d.line}:${d.column} ${d.rule}`) }
    }
  }

  it('is used again: the endpoints are the same objects', async () => {
    const load = loader()
    const first = await load()
    expect(first.checked).to.have.length(3)
    const again = await load()
    expect(again.checked).to.deep.equal([])
    expect(again.endpoints).to.have.length(3)
    for (const [i, endpoint] of again.endpoints.entries()) expect(endpoint).to.equal(first.endpoints[i])
    const { manifests, variants, diagnostics } = again
    expect([manifests, variants, diagnostics]).to.deep.equal([3, first.variants, []])
  })

  it('is not used where the manifest, or a partial that it includes, has changed', async () => {
    const load = loader()
    await load()
    expect((await load([manifest(1, 'SELECT 10 AS n'), ...MANIFESTS.slice(1)])).checked).to.deep.equal([
      'SELECT 10 AS n',
    ])
    expect((await load(MANIFESTS, [PARTIALS[0]!, partial('inner', 'SELECT 20 AS n'), PARTIALS[2]!])).checked)
      .to.include('SELECT 20 AS n')
      .and.not.include('SELECT 3 AS n')
    const others = [...PARTIALS.slice(0, 2), partial('other', 'SELECT 40 AS n')]
    await load()
    expect((await load(MANIFESTS, others)).checked).to.deep.equal([])
  })

  it('is used again with tables that came after its manifests were read', async () => {
    const cache = new LoadCache<FaultlessManifest>()
    let give = (_: TableCatalogue): void => {}
    const tables = new Promise<TableCatalogue>(resolve => {
      give = resolve
    })
    const check = checkByTranslation(none)
    const first = (...args: Parameters<typeof check>) => {
      give(none)
      return check(...args)
    }
    const { endpoints } = await loadSources(MANIFESTS, PARTIALS, { tables, checkSql: first, cache })
    const again = await loadSources(MANIFESTS, PARTIALS, { tables: none, checkSql: check, cache })
    for (const [i, endpoint] of again.endpoints.entries()) expect(endpoint).to.equal(endpoints[i])
  })

  it('is not used with other tables', async () => {
    const load = loader()
    await load()
    expect((await load(MANIFESTS, PARTIALS, tableCatalogue([]))).checked).to.have.length(3)
  })

  it('is kept when other manifests have mistakes, which are reported each time', async () => {
    const load = loader()
    await load()
    const broken = [MANIFESTS[0]!, MANIFESTS[1]!, manifest(3, 'SELECT nobody AS n')]
    for (let i = 0; i < 2; i += 1) {
      const { told, checked } = await load(broken)
      expect(told).to.deep.equal(['n3.yaml:4:10 sql/error'])
      expect(checked).to.deep.equal(['SELECT nobody AS n'])
    }
    expect((await load()).checked, 'the text before the mistake').to.deep.equal([])
  })

  it('is dropped with its file', async () => {
    const load = loader()
    await load()
    await load(MANIFESTS.slice(1))
    expect((await load()).checked).to.deep.equal(['SELECT 1 AS n'])
  })

  it('still reserves its names', async () => {
    const load = loader()
    await load()
    const twin = { ...manifest(1, 'SELECT 1 AS n'), file: 'n0.yaml' }
    expect((await load([twin, ...MANIFESTS])).told).to.deep.equal([
      'n0.yaml:1:5 manifest/duplicate-id',
      'n0.yaml:2:7 manifest/duplicate-name',
      'n1.yaml:1:5 manifest/duplicate-id',
      'n1.yaml:2:7 manifest/duplicate-name',
    ])
    expect((await load([...MANIFESTS, { ...twin, file: 'n9.yaml' }])).told).to.deep.equal([
      'n1.yaml:1:5 manifest/duplicate-id',
      'n1.yaml:2:7 manifest/duplicate-name',
      'n9.yaml:1:5 manifest/duplicate-id',
      'n9.yaml:2:7 manifest/duplicate-name',
    ])
    expect((await load()).told).to.deep.equal([])
  })
})
