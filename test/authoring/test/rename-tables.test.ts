import { expect } from 'chai'
import { type RenamedSql, renameTables, tableReferences } from '../../../authoring/test/rename-tables.js'
import { type TableCatalogue, tableCatalogue } from '../../../googlesql/index.js'

const STRING = { kind: 'STRING' } as const
const columns = [
  { name: 'a', type: STRING },
  { name: 'list', type: { kind: 'ARRAY', element: STRING } as const },
]
const TABLES: TableCatalogue = tableCatalogue(
  ['logs.edge', 'logs.auth', 'logs.day_*', 'other-project.d.t'].map(name => ({ name, columns })),
  { project: 'my-project', defaultDataset: 'logs' },
)
const rename = (sql: string): RenamedSql => {
  const references = tableReferences({ sql, parameters: { p: { type: 'STRING', value: null } } }, TABLES)
  return renameTables(sql, references, table => `x.y.${table.replaceAll(/\W/g, '_')}`)
}

describe('tables of another name in a query', () => {
  const cases: readonly (readonly [sql: string, expected: string])[] = [
    ['SELECT edge.a FROM logs.edge WHERE a = @p', 'SELECT edge.a FROM `x.y.logs_edge` AS `edge` WHERE a = @p'],
    ['SELECT e.a FROM `logs.edge` AS e', 'SELECT e.a FROM `x.y.logs_edge` AS e'],
    ['SELECT e.a FROM logs . edge e', 'SELECT e.a FROM `x.y.logs_edge` e'],
    ['SELECT a FROM `logs`.edge', 'SELECT a FROM `x.y.logs_edge` AS `edge`'],
    ['SELECT a FROM my-project.logs.edge', 'SELECT a FROM `x.y.logs_edge` AS `edge`'],
    ['SELECT a FROM `my-project.logs.edge`', 'SELECT a FROM `x.y.logs_edge` AS `edge`'],
    ['SELECT a FROM other-project.d.t', 'SELECT a FROM `x.y.other_project_d_t` AS `t`'],
    ['SELECT a FROM auth', 'SELECT a FROM `x.y.logs_auth` AS `auth`'],
    [
      "SELECT 'logs.edge' FROM logs.edge -- FROM logs.auth",
      "SELECT 'logs.edge' FROM `x.y.logs_edge` AS `edge` -- FROM logs.auth",
    ],
    [
      'WITH auth AS (SELECT a FROM logs.auth) SELECT a FROM auth',
      'WITH auth AS (SELECT a FROM `x.y.logs_auth` AS `auth`) SELECT a FROM auth',
    ],
    ['SELECT l FROM logs.edge, edge.list AS l', 'SELECT l FROM `x.y.logs_edge` AS `edge`, edge.list AS l'],
    [
      'SELECT a FROM logs.edge UNION ALL SELECT a FROM (SELECT a FROM logs.auth)',
      'SELECT a FROM `x.y.logs_edge` AS `edge` UNION ALL SELECT a FROM (SELECT a FROM `x.y.logs_auth` AS `auth`)',
    ],
    [
      'FROM logs.edge |> JOIN logs.auth AS b USING (a) |> SELECT a',
      'FROM `x.y.logs_edge` AS `edge` |> JOIN `x.y.logs_auth` AS b USING (a) |> SELECT a',
    ],
    ['SELECT a, _TABLE_SUFFIX AS s FROM `logs.day_*`', 'SELECT a, _TABLE_SUFFIX AS s FROM `x.y.logs_day__`'],
    ['SELECT d.a FROM `logs.day_*` AS d', 'SELECT d.a FROM `x.y.logs_day__` AS d'],
    ['SELECT 1 AS logs', 'SELECT 1 AS logs'],
  ]
  for (const [sql, expected] of cases) {
    it(sql, () => {
      expect(rename(sql).sql).to.equal(expected)
    })
  }

  it('leave every other word where it was: offsets lead back', () => {
    const before = 'SELECT b.list, edge.a FROM logs.edge JOIN `logs.auth` b USING (a) WHERE edge.a = @p'
    const { sql, originalOffset } = rename(before)
    const words = [...sql.matchAll(/[^\s`]+/g)].filter(([word]) => !/^x\.y\.|^AS$|^edge$/.test(word))
    expect(words).to.have.length(12)
    for (const { index, 0: word } of words)
      expect(before.slice(originalOffset(index)).startsWith(word), word).to.equal(true)
    expect(originalOffset(sql.indexOf('`x.y.logs_auth`') + 3)).to.equal(before.indexOf('`logs.auth`'))
    expect(originalOffset(sql.length)).to.equal(before.length)
  })
})
