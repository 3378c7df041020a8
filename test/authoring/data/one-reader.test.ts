/** The same values are read alike in place, by `import` and in the rows of tests, and `tables infer` reads them too. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { isMap, parseDocument } from 'yaml'
import { importFiles, openDuckdb } from '../../../authoring/data/import/import-table.js'
import { inferTable } from '../../../authoring/data/infer/infer-table.js'
import { PARSE_OPTIONS } from '../../../authoring/test/files/load.js'
import { readTableRow } from '../../../authoring/test/files/read-value.js'
import {
  fieldsToColumns,
  requiredPaths,
  type SchemaField,
  type TextForm,
  typeLimits,
} from '../../../googlesql/index.js'
import { openRawEngine, type RawEngine, scratchFolder } from '../../engines/duckdb/raw-engine.js'
import { sampleOf } from '../../sample-size.js'
import { CASES, type FileCase } from './file-cases.js'

const scratch = scratchFolder()
let engine: RawEngine
let duckdb: DuckDBInstance

const nameOf = (i: number): string => `t${i}`
const definitionOf = (name: string, fields: readonly SchemaField[], { ignoresUnknown, ...form }: TextForm) => ({
  textForm: { ...form, ...(ignoresUnknown && { ignoresUnknown }) },
  name,
  columns: fieldsToColumns(fields)!,
  required: requiredPaths(fields),
  limits: typeLimits(fields),
})

const readRows = async (name: string, fields: readonly SchemaField[]): Promise<readonly unknown[]> => {
  const columns = fieldsToColumns(fields)!
  const list = columns.map(column => `"${column.name}"`).join(', ')
  const sql = `SELECT ${list} FROM "${name}"`
  return (await engine.rows({ sql, columns, tables: [name] })).map(row => (row.length === 1 ? row[0] : row))
}

const reasonOf = (error: Error & { cause?: Error }): string => (error.cause ?? error).message

/** The lines of NDJSON as rows of a test file; null where one of them is refused. */
function testRows({ fields, text, ignoresUnknown = false }: FileCase): readonly object[] | null {
  const refused: string[] = []
  const table = definitionOf('t', fields, { ignoresUnknown })
  const rows = String(text)
    .replace('\ufeff', '')
    .trimEnd()
    .split('\n')
    .map(line => {
      const { contents, errors } = parseDocument(line, PARSE_OPTIONS)
      if (errors.length > 0 || !isMap(contents)) refused.push(line)
      return contents === null ? {} : readTableRow(contents, table, (_, message) => void refused.push(message))
    })
  return refused.length > 0 ? null : rows
}

describe('A text file', () => {
  before(async () => {
    mkdirSync(join(scratch.path, 'in'))
    mkdirSync(join(scratch.path, 'out'))
    for (const [i, { format, text }] of CASES.entries())
      writeFileSync(join(scratch.path, 'in', `${nameOf(i)}.${format}`), text)
    duckdb = await openDuckdb(1, 200)
    engine = await openRawEngine({
      dataDir: scratch.path,
      tables: CASES.flatMap((each, i) =>
        ['in', 'out', 'test'].map(dataset => ({
          definition: definitionOf(`${dataset}.${nameOf(i)}`, each.fields, {
            ...each.form,
            ignoresUnknown: each.ignoresUnknown ?? false,
          }),
          ...(dataset === 'test' && { rows: each.format === 'csv' ? [] : (testRows(each) ?? []) }),
        })),
      ),
    })
  })
  after(async () => {
    await engine.engine.close()
    duckdb.closeSync()
    scratch.remove()
  })

  it('names what would leave out an unknown key: the member of the table resource, or the flag of import', async () => {
    const i = CASES.findIndex(({ mistake }) => mistake.includes('"nmae"'))
    const { fields } = CASES[i]!
    const inPlace = await readRows(`in.${nameOf(i)}`, fields).then(String, reasonOf)
    const leavesOut =
      '"externalDataConfiguration": {"ignoreUnknownValues": true} in the table resource leaves others out'
    expect(inPlace).to.equal(
      `${join(scratch.path, 'in', nameOf(i))}.ndjson:2:9: found the unknown field "nmae", expected fields of the schema; ${leavesOut}`,
    )
  })

  for (const [i, each] of sampleOf([...CASES.entries()])) {
    const { says, fields, format, text, form = {}, ignoresUnknown = false, rows, mistake } = each
    const path = join(scratch.path, 'in', `${nameOf(i)}.${format}`)
    const asRead = (all: readonly unknown[]): string => JSON.stringify(all)

    it(`${says}: in place`, async () => {
      const read = await readRows(`in.${nameOf(i)}`, fields).then(asRead, reasonOf)
      if (rows) expect(read).to.equal(asRead(rows))
      else
        expect(read)
          .to.include(`${nameOf(i)}.${format}:`)
          .and.to.include(mistake)
    })

    it(`${says}: imported`, async () => {
      const report = await importFiles(duckdb, {
        dataDir: scratch.path,
        table: definitionOf(`out.${nameOf(i)}`, fields, { ...form, ignoresUnknown }),
        layout: { clusteredBy: [], partition: null },
        files: [path],
        inputFormat: null,
        standardInput: () => Readable.from([]),
        replaces: false,
        ignoresUnknown,
        skipFile: null,
        maxBadRows: 10,
        nowMs: 0,
        idSuffix: '00000000',
      }).catch((error: Error) => error.message)
      if (rows) {
        expect(report).to.deep.include({ isCommitted: true })
        expect(asRead(await readRows(`out.${nameOf(i)}`, fields))).to.equal(asRead(rows))
      } else {
        const [row] = typeof report === 'string' ? [] : report.badRows
        expect(row ? `${row.path}: found ${row.found}, expected ${row.expected}` : String(report)).to.include(mistake)
      }
    })

    if (format === 'ndjson' && typeof text === 'string') {
      it(`${says}: in the rows of a test`, async () => {
        const given = testRows(CASES[i]!)
        const read =
          given === null ? 'refused' : await readRows(`test.${nameOf(i)}`, fields).then(asRead, () => 'refused')
        expect(read).to.equal(rows ? asRead(rows) : 'refused')
      })
    }

    it(`${says}: inferred`, async () => {
      const inferred = await inferTable({
        files: [path],
        inputFormat: null,
        standardInput: () => Readable.from([]),
        maxBadRows: 10,
        textForm: form,
      }).then(
        ({ badRows, fields: all }) => (badRows[0] ? badRows[0].found : all.map(({ name }) => name.toLowerCase())),
        (error: Error) => error.message,
      )
      if (rows && !ignoresUnknown && form.skipLeadingRows !== 0)
        expect(fields.map(({ name }) => name.toLowerCase())).to.include.members([...inferred])
    })
  }
})
