/** Manifests that `sluice new` writes, of every table that there is and of every query of the cases. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { completeText } from '../../authoring/write/complete.js'
import { manifestOfSql } from '../../authoring/write/from-sql.js'
import { manifestOfTable } from '../../authoring/write/from-table.js'
import { type TableDefinition, tableCatalogue } from '../../googlesql/index.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { caseFiles, caseTables, readCases } from '../googlesql/case-files.js'
import { checkByTranslation } from '../manifest/check-by-translation.js'
import { command, scratch } from './command.js'

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

describe('manifests that new writes', () => {
  const folder = scratch()
  after(() => folder.remove())

  it('validate, and their tests pass, for every table and every choice of columns', async function () {
    this.timeout(300_000)
    const endpoints = folder.path('endpoints')
    const tables = folder.path('tables')
    mkdirSync(endpoints)
    for (const from of ['schemas/tables', 'templates/init/schemas/tables', 'test/cases/new-table/tables']) {
      cpSync(from, tables, { recursive: true })
    }
    writeFileSync(
      folder.path('tables', 'shop.all.json'),
      JSON.stringify(
        'BOOL INT64 FLOAT64 NUMERIC BIGNUMERIC STRING BYTES DATE DATETIME TIME TIMESTAMP JSON'
          .split(' ')
          .map(type => ({ name: type === 'DATE' ? 'order' : `my ${type.toLowerCase()}`, type })),
      ),
    )
    const schemas = (await loadTableSchemas(tables)).tables
    const catalogue = tableCatalogue(schemas)
    const options = { schemas: '../schemas', tables: catalogue, checkSql: checkByTranslation(catalogue) }
    let count = 0
    for (const table of schemas) {
      for (const order of ordersOf(table)) {
        const name = `new.n${++count}`
        const file = folder.path('endpoints', `${name}.yaml`)
        const manifest = manifestOfTable({ table, ...order })
        writeFileSync(file, await completeText({ ...manifest, id: uuid(count), name }, { ...options, file }))
        writeFileSync(folder.path('endpoints', `${name}.test.yaml`), manifest.tests[0]!)
      }
    }
    const flags = ['--endpoints', endpoints, '--tables', tables, '--engine-threads', '1']
    const validated = await command(['validate', ...flags])
    expect(validated.err).to.equal('')
    expect(validated.out).to.match(new RegExp(`^${count} manifests, \\d+ variants: no problems\n$`))
    const tested = await command(['test', ...flags])
    expect(tested.code, tested.out).to.equal(0)
    expect(count).to.be.greaterThan(80)
  })

  it('from the queries of the cases validate, with parameters of the types that they declare', async () => {
    const tables = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
    let count = 0
    for (const { sql, parameters = {}, error } of caseFiles().flatMap(readCases)) {
      const declared = Object.entries(parameters).filter(([name]) => name.toLowerCase() !== 'now')
      if (declared.length === 0 || error !== undefined || !declared.every(([, { type }]) => mayDeclare(type))) continue
      // A manifest takes @n and @N for two parameters, and says so.
      const spelled = new Set([...sql.matchAll(/@(\w+)/g)].map(([, name]) => name!))
      if (new Set([...spelled].map(name => name.toLowerCase())).size < spelled.size) continue
      const spec = { ...manifestOfSql('case.sql', sql.trimEnd(), tables), id: uuid(++count), name: 'case' }
      const options = { file: 'case.yaml', schemas: '../schemas', tables, checkSql: checkByTranslation(tables) }
      await completeText(spec, options).catch(error => expect.fail(`${sql}: ${error.message}`))
    }
    expect(count).to.be.greaterThan(15)
  })
})

const mayDeclare = (type: string): boolean =>
  /^(?:ARRAY<)?(?:STRING|INT64|FLOAT64|BOOL|DATE|DATETIME|TIMESTAMP)>?$/.test(type)

/** Every time column or none, three tenants or none, with and without buckets. */
function ordersOf({ columns }: TableDefinition) {
  const names = (...kinds: readonly string[]) =>
    columns.filter(({ type }) => kinds.includes(type.kind)).map(one => one.name)
  const times = [null, ...names('TIMESTAMP', 'DATETIME', 'DATE')]
  const tenants = [null, ...names('STRING', 'INT64').slice(0, 3)]
  return times.flatMap(time =>
    tenants.flatMap(tenant =>
      (time === null ? [false] : [false, true]).map(hasInterval => ({ time, tenant, hasInterval })),
    ),
  )
}
