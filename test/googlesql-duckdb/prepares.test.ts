/** Every query that resolves can be prepared on DuckDB, and its columns have the inferred names and types. */
import { expect } from 'chai'
import fc from 'fast-check'
import { SqlError } from '../../googlesql/sql-error.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { quoteName } from '../../googlesql-duckdb/emit/quote.js'
import { duckdbType } from '../../googlesql-duckdb/emit/type.js'
import { NATIVE_ERROR_MARK } from '../../googlesql-duckdb/runtime/scalar-functions/scalar-function.js'
import { translate } from '../../googlesql-duckdb/translate.js'
import { RANDOM_COLUMNS, RANDOM_TABLES, randomQuery } from '../googlesql/random-query.js'
import { openSqlSession, type SqlSession } from './sql-session.js'

/** The number of random queries; set RUNS=20000 for a long run, and SEED to repeat a failure. */
const RUNS = Number(process.env['RUNS'] ?? 300)
const SEED = Number(process.env['SEED'] ?? 20_260_131)

describe(`random queries (SEED=${SEED} RUNS=${RUNS})`, () => {
  const tables = RANDOM_TABLES.map(name => ({ name, columns: RANDOM_COLUMNS }))
  const catalogue = tableCatalogue(tables)
  let session: SqlSession
  before(async () => {
    const columns = RANDOM_COLUMNS.map(({ name, type }) => `${quoteName(name)} ${duckdbType(type)}`).join(', ')
    session = await openSqlSession(
      tables,
      RANDOM_TABLES.map(name => `CREATE TABLE ${name} (${columns})`),
    )
  })
  after(() => session.close())

  it('prepare, where they resolve, with the inferred names and types', async function () {
    this.timeout(0)
    let prepared = 0
    const property = fc.asyncProperty(fc.array(fc.nat(9_999), { minLength: 5, maxLength: 120 }), async choices => {
      const source = randomQuery(choices)
      const translation = translated(source)
      if (!translation) return
      prepared++
      const inferred = translation.columns.map(({ name, type }) => `${name} ${shown(duckdbType(type))}`)
      const statement = await session.connection.prepare(translation.sql).catch((error: Error) => {
        // DuckDB may evaluate a constant expression while it prepares; an error with BigQuery's message is then correct.
        if (error.message.includes(NATIVE_ERROR_MARK)) return null
        throw new PrepareError(`${error.message}\n${source}\n${translation.sql}`)
      })
      if (!statement) return
      const got = inferred.map((_, i) => `${statement.columnName(i)} ${shown(statement.columnType(i).toString())}`)
      statement.destroySync()
      expect(got, source).to.deep.equal(inferred)
    })
    await fc.assert(property, { numRuns: RUNS, seed: SEED })
    // Enough of the random queries must be valid, otherwise the test shows nothing.
    expect(prepared).to.be.greaterThan(RUNS / 4)
  })

  /** The translation; null where GoogleSQL or the embedded engine refuses the query. */
  function translated(source: string): ReturnType<typeof translate> | null {
    try {
      return translate(source, catalogue, {})
    } catch (error) {
      if (error instanceof SqlError) return null
      throw error
    }
  }
})

class PrepareError extends Error {
  override readonly name = 'PrepareError'
}

/** The type in one spelling: DuckDB quotes names only where necessary, and its JSON is an alias of VARCHAR. */
const shown = (type: string): string =>
  type
    .replaceAll('"', '')
    .replaceAll('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
    .replace(/\bJSON\b/g, 'VARCHAR')
