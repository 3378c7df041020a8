import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { refreshHints } from '../../../authoring/check/refresh.js'
import { keptQuery, resolveQuery, tableCatalogue } from '../../../googlesql/index.js'
import { DATE, STRING, TIMESTAMP, type Type } from '../../../googlesql/types/types.js'
import { loadSources } from '../../../runner/manifest/load.js'
import { type Diagnostic, diagnosticLine } from '../../../runner/model/diagnostic.js'
import { typesOf } from '../../../runner/model/parameter-types.js'
import type { Engine } from '../../../runner/model/ports.js'
import { checkByTranslation } from '../../manifest/check-by-translation.js'

const column = (name: string, type: Type) => ({ name, type })
const TABLES = tableCatalogue([
  {
    name: 'shop.orders',
    columns: [column('sold', TIMESTAMP), column('shop', STRING), column('day', DATE)],
  },
])
const ENGINE: Pick<Engine, 'keptQuery'> = {
  keptQuery: ({ sql, parameters }) =>
    keptQuery(sql, resolveQuery(sql, TABLES, typesOf(parameters)), {
      clock: 'now',
      isRequired: () => false,
      resolve: (text, rows) => resolveQuery(text, TABLES, { ...typesOf(parameters), ...(rows && { _rows: rows }) }),
    }),
}
const CACHED = '{ ttl_seconds: 60 }'

async function told(sql: string, { cache = CACHED, engine = ENGINE, more = '' } = {}): Promise<readonly string[]> {
  const text = `id: 0b7f5a0e-5c0d-4f43-9d4b-5d9b3c8f6a14
name: tests.refresh
settings:
  cache: ${cache}
${more}sql: |
  ${sql.replaceAll('\n', '\n  ')}
`
  const hints: Diagnostic[] = []
  const partials = [{ file: 'partials/since.sql', text: 'EXTRACT(DAY FROM sold) = EXTRACT(DAY FROM @now)\n' }]
  const loaded = await loadSources([{ file: 'a.yaml', text }], partials, {
    tables: TABLES,
    checkSql: checkByTranslation(TABLES),
    onCompiled: compiled => void hints.push(...refreshHints(compiled, engine)),
  })
  expect(loaded.diagnostics.map(diagnosticLine)).to.deep.equal([])
  return hints.map(diagnosticLine)
}

const HOURLY = `SELECT TIMESTAMP_TRUNC(sold, HOUR) AS hour, COUNT(*) AS n
FROM shop.orders
WHERE sold >= TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
GROUP BY hour
ORDER BY hour`
const PARTS = `parameters:
  shop: { type: string }
  unit: { type: string, required: true }
lookups:
  unit:
    by: unit
    rows: { day: { part: DAY }, week: { part: "WEEK(MONDAY)" } }
    default: reject
`

describe('what is kept for a refresh', () => {
  it('is said with the table, the column and the cells', async () => {
    expect(await told(HOURLY)).to.deep.equal([
      'a.yaml:5:1: hint: buckets of shop.orders are kept by HOUR of sold in UTC [refresh/kept]',
    ])
    expect(await told(HOURLY.replace('HOUR)', "DAY, 'Europe/Berlin')"))).to.deep.equal([
      'a.yaml:5:1: hint: buckets of shop.orders are kept by DAY of sold in Europe/Berlin [refresh/kept]',
    ])
    expect(await told('SELECT day, COUNT(*) AS n FROM shop.orders GROUP BY day')).to.deep.equal([
      'a.yaml:5:1: hint: buckets of shop.orders are kept by DAY of day [refresh/kept]',
    ])
  })

  it('is said once for the variants that share it', async () => {
    const sql = HOURLY.replace('HOUR', '{{unit.part}}').replace(
      'GROUP',
      '{{#if given.shop}}AND shop = @shop{{/if}}\nGROUP',
    )
    expect(await told(sql, { more: PARTS })).to.deep.equal([
      'a.yaml:13:1: hint: buckets of shop.orders are kept by DAY of sold in UTC, in 2 of 4 variants (unit=day, shop absent; unit=day, shop given) [refresh/kept]',
      'a.yaml:13:1: hint: buckets of shop.orders are kept by WEEK(MONDAY) of sold in UTC, in 2 of 4 variants (unit=week, shop absent; unit=week, shop given) [refresh/kept]',
    ])
  })

  it('is nothing where one place prevents it, which is said', async () => {
    const reason = 'no buckets are kept: a window function reads rows of other buckets'
    expect(await told(HOURLY.replace('COUNT(*) AS n', 'SUM(COUNT(*) / 3) OVER () AS n'))).to.deep.equal([
      `a.yaml:6:47: hint: ${reason} [refresh/whole]`,
    ])
    const sql = HOURLY.replace(
      'COUNT(*) AS n',
      '{{#if given.shop}}CAST(SUM(COUNT(*) / 3) OVER () AS INT64){{else}}COUNT(*){{/if}} AS n',
    ).replace('GROUP', "AND shop != '{{unit.part}}'\nGROUP")
    const lines = await told(sql, { more: PARTS })
    expect(lines).to.include(
      `a.yaml:14:70: hint: ${reason}, in 2 of 4 variants (unit=day, shop given; unit=week, shop given) [refresh/whole]`,
    )
    expect(lines).to.have.length(2)
  })

  it('is nothing where the endpoint does not want it, or its engine cannot', async () => {
    expect(await told(HOURLY, { cache: 'disabled' })).to.deep.equal([
      'a.yaml:4:3: hint: no buckets are kept: results are not cached [refresh/whole]',
    ])
    expect(await told(HOURLY, { cache: '{ ttl_seconds: 60, refresh: whole }' })).to.deep.equal([
      'a.yaml:4:29: hint: no buckets are kept: settings.cache has refresh: whole [refresh/whole]',
    ])
    expect(await told(HOURLY, { engine: {} })).to.deep.equal([
      'a.yaml:6:3: hint: no buckets are kept: the engine keeps nothing [refresh/whole]',
    ])
  })

  it('names the partial with the place, and who includes it', async () => {
    const [line] = await told(HOURLY.replace(/sold >= .*/, '{{> since}}'))
    expect(line).to.match(
      /^partials\/since\.sql:1:\d+: hint: no buckets are kept: .* \(included by a\.yaml:8\) \[refresh\/whole\]$/,
    )
  })

  it('is prevented by what docs/refresh.md names', () => {
    const folder = 'googlesql/refresh'
    const sources = readdirSync(folder).map(name => readFileSync(`${folder}/${name}`, 'utf8'))
    for (const name of ['duckdb/duckdb-engine', 'bigquery/open-engine'])
      sources.push(readFileSync(`runner/engines/${name}.ts`, 'utf8'))
    const [, table = ''] = readFileSync('docs/refresh.md', 'utf8').split('| What prevents it |')
    const rows = table.split('\n\n')[0]!.split('\n').slice(2)
    const reasons = rows.flatMap(row => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, reason]) => reason!))
    expect(reasons).to.have.length.greaterThan(15)
    const texts = sources.map(text => text.replace(/\$\{clock\}/g, 'now'))
    const isThere = (reason: string): boolean => {
      const pieces = reason.split('…').map(piece => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return texts.some(text => new RegExp(pieces.join('.*')).test(text))
    }
    expect(reasons.filter(reason => !isThere(reason))).to.deep.equal([])
  })
})
