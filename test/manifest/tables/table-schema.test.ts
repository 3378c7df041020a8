/** schemas/table.schema.json, which editors read, and the reader of table schemas take the same files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { readTableSchema } from '../../../runner/manifest/tables/load.js'

const schema = JSON.parse(readFileSync('schemas/table.schema.json', 'utf8'))
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' })
const isValid = ajv.compile(schema)

const diagnosticsOf = (value: unknown) =>
  readTableSchema({ file: 'schemas/tables/shop.orders.json', text: JSON.stringify(value, null, 2) }).diagnostics

const field = (more: object): unknown => [{ name: 'a', type: 'STRING', ...more }]
const table = (more: object): unknown => ({ schema: { fields: [{ name: 'a', type: 'DATE' }] }, ...more })

const CASES: readonly [says: string, value: unknown, isRight: boolean][] = [
  ['a column', field({}), true],
  ['a column in lower case', [{ name: 'a', type: 'string', mode: 'required' }], true],
  ['every member', field({ mode: 'REPEATED', description: 'x', maxLength: '20', collation: 'und:ci' }), true],
  [
    'numbers as numbers',
    [{ name: 'a', type: 'NUMERIC', precision: 10, scale: 2, roundingMode: 'ROUND_HALF_EVEN' }],
    true,
  ],
  ['policy tags', field({ policyTags: { names: ['projects/p/locations/eu/taxonomies/1/policyTags/2'] } }), true],
  ['a record', [{ name: 'a', type: 'RECORD', fields: [{ name: 'b', type: 'INT64' }] }], true],
  ['a table resource', table({ kind: 'bigquery#table', numRows: '3', clustering: { fields: ['a'] } }), true],
  ['partitions', table({ timePartitioning: { type: 'DAY', field: 'a', expirationMs: '86400000' } }), true],
  ['no column', [], false],
  ['a word', 'STRING', false],
  ['a misspelt member', field({ mod: 'REQUIRED' }), false],
  ['a misspelt member of a field of a record', [{ name: 'a', type: 'RECORD', fields: field({ nmae: 'b' }) }], false],
  ['no name', [{ type: 'STRING' }], false],
  ['an empty name', [{ name: '', type: 'STRING' }], false],
  ['no type', [{ name: 'a' }], false],
  ['an unknown type', field({ type: 'TEXT' }), false],
  ['a type with parameters', field({ type: 'NUMERIC(10, 2)' }), false],
  ['an unknown mode', field({ mode: 'MANY' }), false],
  ['a description that is not a text', field({ description: 5 }), false],
  ['a precision that is not a number', field({ precision: 'ten' }), false],
  ['a negative length', field({ maxLength: -1 }), false],
  ['policy tags that are a list', field({ policyTags: ['x'] }), false],
  ['a record without fields', [{ name: 'a', type: 'RECORD' }], false],
  ['a table without a schema', { clustering: { fields: ['a'] } }, false],
  ['an unknown unit of partitions', table({ timePartitioning: { type: 'WEEK', field: 'a' } }), false],
]

describe('the JSON Schema of table schemas', () => {
  for (const [says, value, isRight] of CASES) {
    it(`${isRight ? 'takes' : 'refuses'} ${says}, and so does the reader`, () => {
      expect(isValid(value), JSON.stringify(isValid.errors)).to.equal(isRight)
      expect(diagnosticsOf(value).map(({ message }) => message)).to.have.length(isRight ? 0 : 1)
    })
  }

  it('explains every member', () => {
    const members = [...Object.values(schema.$defs.field.properties), ...Object.values(schema.anyOf[1].properties)]
    for (const member of members) expect(member).to.include.all.keys('title', 'description')
  })

  it('takes the table schemas that are shipped', () => {
    for (const folder of ['schemas/tables', 'templates/init/schemas/tables']) {
      for (const name of readdirSync(folder)) {
        expect(isValid(JSON.parse(readFileSync(join(folder, name), 'utf8'))), name).to.equal(true)
      }
    }
  })
})
