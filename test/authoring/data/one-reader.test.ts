/** The same file is read alike in place and by `import`, and `tables infer` reads it too. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { importFiles } from '../../../authoring/data/import/import-table.js'
import { inferTable } from '../../../authoring/data/infer/infer-table.js'
import {
  fieldsToColumns,
  requiredPaths,
  type SchemaField,
  type TextForm,
  typeLimits,
} from '../../../googlesql/index.js'
import { openRawEngine, type RawEngine, scratchFolder } from '../../engines/duckdb/raw-engine.js'
import { CASES } from './file-cases.js'

const scratch = scratchFolder()
let engine: RawEngine

const nameOf = (i: number): string => `t${i}`
const definitionOf = (name: string, fields: readonly SchemaField[], textForm: TextForm) => ({
  textForm,
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

describe('A text file', () => {
  before(async () => {
    mkdirSync(join(scratch.path, 'in'))
    mkdirSync(join(scratch.path, 'out'))
    for (const [i, { format, text }] of CASES.entries())
      writeFileSync(join(scratch.path, 'in', `${nameOf(i)}.${format}`), text)
    engine = await openRawEngine({
      dataDir: scratch.path,
      tables: CASES.flatMap(({ fields, form, ignoresUnknown = false }, i) =>
        ['in', 'out'].map(dataset => ({
          definition: definitionOf(`${dataset}.${nameOf(i)}`, fields, { ...form, ignoresUnknown }),
        })),
      ),
    })
  })
  after(async () => {
    await engine.engine.close()
    scratch.remove()
  })

  for (const [i, { says, fields, format, form = {}, ignoresUnknown = false, rows, mistake }] of CASES.entries()) {
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
      const report = await importFiles({
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
        memoryLimitMb: 200,
        threads: 1,
        nowMs: 0,
        unique: '00000000',
      }).catch((error: Error) => error.message)
      if (rows) {
        expect(report).to.deep.include({ isCommitted: true })
        expect(asRead(await readRows(`out.${nameOf(i)}`, fields))).to.equal(asRead(rows))
      } else {
        const [row] = typeof report === 'string' ? [] : report.badRows
        expect(row ? `${row.path}: found ${row.found}, expected ${row.expected}` : String(report)).to.include(mistake)
      }
    })

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
