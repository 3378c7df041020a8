/** Texts that are read many at a time are those that the binding reads one by one. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBBlobVector, type DuckDBConnection, DuckDBInstance, DuckDBVarCharVector } from '@duckdb/node-api'
import { chunksOf } from '../../../../runner/engines/duckdb/values/result-chunks.js'
import { textReader } from '../../../../runner/engines/duckdb/values/vector-texts.js'

/** Texts of each length to 40, of ASCII and of more bytes a character, long ones, empty ones, and NULL first and between. */
const MIXED = `SELECT CASE
    WHEN i % 7 = 0 THEN NULL
    WHEN i % 11 = 0 THEN ''
    WHEN i % 501 = 1 THEN repeat('long 🐤 text ', 30000)
    WHEN i % 13 = 0 THEN repeat('é', (i % 20)::INT) || i
    WHEN i % 17 = 0 THEN '🐤' || repeat('x', (i % 200)::INT)
    WHEN i % 19 = 0 THEN chr(65279) || 'after a byte order mark ' || i
    ELSE repeat('a', (i % 40)::INT) || i END AS t, i FROM range(6000) r(i)`

const SOURCES: Readonly<Record<string, string>> = {
  'computed texts': 'SELECT t FROM mixed ORDER BY i',
  'texts of a file': "SELECT t FROM 'FOLDER/mixed.parquet'",
  'some of the texts of a file': "SELECT t FROM 'FOLDER/mixed.parquet' WHERE i % 5 = 0",
  'texts of a dictionary, in any order': "SELECT t FROM 'FOLDER/words.parquet'",
  'parts of one text':
    "SELECT substring(t, (i % 50)::INT + 1, 20 + (i % 3)::INT) AS t FROM mixed, range(9) WHERE t LIKE 'long%'",
  'sorted texts': 'SELECT t FROM mixed ORDER BY t DESC NULLS FIRST',
  'no text at all': 'SELECT NULL::VARCHAR AS t FROM range(3000)',
}

describe('texts of vectors', () => {
  let folder: string
  let connection: DuckDBConnection
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vector-texts-'))
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(`CREATE TABLE mixed AS ${MIXED}`)
    await connection.run(`COPY (FROM mixed) TO '${folder}/mixed.parquet'`)
    await connection.run(
      `COPY (SELECT 'a word of a dictionary, ' || hash(i) % 97 AS t FROM range(60000) r(i)) TO '${folder}/words.parquet'`,
    )
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, sql] of Object.entries(SOURCES)) {
    it(`reads ${name}`, async () => {
      const read = textReader()
      let rows = 0
      for await (const chunk of await chunks(sql)) {
        const vector = chunk.getColumnVector(0)
        for (let row = 0; row < vector.itemCount; row++, rows++) assert.equal(read(vector, row), vector.getItem(row))
      }
      assert.ok(rows > 0)
    })
  }

  it('asks the binding for few buffers', async () => {
    const read = textReader()
    const [one, shared] = [DuckDBVarCharVector.prototype, DuckDBBlobVector.prototype]
    const { getItem } = one
    const { getItemBytes } = shared
    let asked = 0
    one.getItem = function (row) {
      asked += 1
      return getItem.call(this, row)
    }
    shared.getItemBytes = function (row) {
      asked += 1
      return getItemBytes.call(this, row)
    }
    try {
      for (const table of ['words', 'mixed']) {
        for await (const chunk of await chunks(`SELECT t FROM '${folder}/${table}.parquet'`)) {
          const vector = chunk.getColumnVector(0)
          for (let row = 0; row < vector.itemCount; row++) read(vector, row)
        }
      }
    } finally {
      Object.assign(one, { getItem })
      Object.assign(shared, { getItemBytes })
    }
    assert.ok(asked < 500, `${asked} for 66,000 texts`)
  })

  const chunks = async (sql: string) => chunksOf(await connection.stream(sql.replaceAll('FOLDER', folder)))
})
