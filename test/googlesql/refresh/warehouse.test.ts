/** Which queries of the cases of warehouses that group by a time are kept, and why the others are not. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import {
  keptQuery,
  parseTypeName,
  type ResolvedQuery,
  resolveQuery,
  type Type,
  tableCatalogue,
} from '../../../googlesql/index.js'
import { visitScans } from '../../../googlesql/plan/walk.js'
import { caseFiles, caseTables, readCases } from '../case-files.js'

const EXPECTED: unknown = parse(readFileSync('test/cases/refresh/warehouse.yaml', 'utf8'))
const TABLES = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))

/** So many characters of a query without a name tell which it is. */
const SHOWN = 50

const TIMES = ['DATE', 'DATETIME', 'TIMESTAMP']

function groupsByTime({ scan }: ResolvedQuery): boolean {
  let groups = false
  visitScans(scan, part => {
    groups ||= part.kind === 'aggregate' && part.keys.some(({ expr }) => TIMES.includes(expr.type.kind))
  })
  return groups
}

describe('the queries of warehouses that group by a time', () => {
  const found = caseFiles()
    .filter(file => file.startsWith('warehouse/'))
    .flatMap(readCases)
    .flatMap(({ file, says, sql, parameters = {} }) => {
      const types = Object.fromEntries(
        Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!]),
      )
      const query = resolveQuery(sql, TABLES, types)
      if (!groupsByTime(query)) return []
      const resolve = (text: string, rows: Type | null) =>
        resolveQuery(text, TABLES, rows ? { ...types, _rows: rows } : types)
      const kept = keptQuery(sql, query, { clock: 'now', isRequired: () => false, resolve })
      const how = 'reason' in kept ? { not: kept.reason } : { kept: `${kept.cells.part} of ${kept.column}` }
      return [{ file: file.replace('warehouse/', ''), query: says ?? sql.slice(0, SHOWN), ...how }]
    })

  it('are kept, or are not for a reason', () => {
    expect(found).to.deep.equal(EXPECTED)
  })

  it('are kept, most of them', () => {
    expect(found.filter(one => 'kept' in one).length / found.length).to.be.at.least(0.6)
  })
})
