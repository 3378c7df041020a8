import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { tableCatalogue } from '../../../../googlesql/tables.js'
import { translate } from '../../../../googlesql-duckdb/translate.js'
import { openSession, type Session } from '../../../../runner/engines/duckdb/child/session.js'
import { OpenFiles } from '../../../../runner/engines/duckdb/tables/open-files.js'
import { QueryNeeds } from '../../../../runner/engines/duckdb/tables/query-needs.js'
import { TableStore } from '../../../../runner/engines/duckdb/tables/table-store.js'
import { wideTables, wideUnions } from '../../../googlesql-duckdb/wide-union.js'
import { scratchFolder } from '../raw-engine.js'

const TABLES = wideTables(238, 40)
const QUERIES = Object.entries(wideUnions(TABLES))

/** The CPU time of all threads of this process, which does not depend on other load of the machine. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

describe('a UNION ALL of 238 tables with 40 nested columns', () => {
  const catalogue = tableCatalogue(TABLES)
  const translated = (sql: string) => translate(sql, catalogue, {})

  describe('translated', () => {
    const half = wideTables(119, 40)
    const halves = wideUnions(half)
    for (const [what, sql] of QUERIES) {
      it(`becomes SQL whose size is proportional to the number of tables: ${what}`, () => {
        const [whole, part] = [translated(sql), translate(halves[what]!, tableCatalogue(half), {})]
        expect(whole.sql.length).to.be.lessThan(2.2 * part.sql.length)
        expect(whole.tables).to.have.length(TABLES.length)
      })
    }
  })

  describe('in DuckDB', () => {
    const scratch = scratchFolder()
    let session: Session

    before(async () => {
      const tables = TABLES.map(definition => ({ definition, files: [] }))
      const limits = { memoryLimitMb: 1_000, tempLimitMb: 100, threads: 2, connections: 1, isShared: false }
      session = await openSession({ folder: scratch.path, dataDir: null, database: null, tables, ...limits })
    })
    after(() => {
      scratch.remove()
    })

    // Twice the goal, for a slow machine. An optimizer that visits the whole plan for each aggregate takes 10 s.
    const MOST_CPU_MS = 4_000

    it('knows tables without files at once', async () => {
      const began = cpuMs()
      const names = TABLES.map(({ name }) => name)
      await session.tables.refresh(names)
      expect(cpuMs() - began).to.be.lessThan(MOST_CPU_MS)
      expect(await session.tables.refresh(names)).to.deep.equal([])
    }).timeout(60_000)

    for (const [what, source] of QUERIES) {
      it(`plans it: ${what}`, async () => {
        const began = cpuMs()
        const { sql, tables } = translated(source)
        const needs = new QueryNeeds()
        await session.tables.prepare(tables, needs)
        await session.borrow(async connection => {
          await needs.makeViews(connection)
          await session.largePlans.run(sql, async () => (await connection.prepare(sql)).destroySync())
        })
        expect(cpuMs() - began).to.be.lessThan(MOST_CPU_MS)
      }).timeout(60_000)
    }

    it('turns the optimizer off only for large plans, and on again after the last of them', async () => {
      const plans = session.largePlans
      const setting = (): Promise<unknown> =>
        session.borrow(async connection => {
          const result = await connection.runAndReadAll("SELECT current_setting('disabled_optimizers')")
          return result.getRows()[0]![0]
        })
      const large = `${'SELECT 1 GROUP BY 1 UNION ALL '.repeat(200)}SELECT 1`
      expect(await plans.run('SELECT 1 GROUP BY 1', setting)).to.equal('')
      const both = plans.run(large, async () => [await setting(), await plans.run(large, setting), await setting()])
      expect(await both).to.deep.equal(Array(3).fill('compressed_materialization'))
      const twice = plans.run(large, async () => [await plans.rerun(setting), await setting()])
      const [inner, outer] = await twice
      expect(String(inner).split(',')).to.have.members(['compressed_materialization', 'deliminator'])
      expect(outer).to.equal('compressed_materialization')
      expect(await setting()).to.equal('')
      const failure = plans.run(large, () => Promise.reject(new RangeError('x'))).catch(error => error)
      expect(await failure).to.be.instanceOf(RangeError)
      expect(await setting()).to.equal('')
    })
  })

  describe('their rows', () => {
    const scratch = scratchFolder()
    let databases = 0
    after(scratch.remove)

    /** The statements that the store sends to DuckDB for one look at these tables. */
    async function statementsFor(files: readonly string[], count = TABLES.length): Promise<readonly string[]> {
      const instance = await DuckDBInstance.create(join(scratch.path, `${databases++}.duckdb`))
      const connection = await instance.connect()
      const statements: string[] = []
      const run = connection.run.bind(connection)
      connection.run = (sql, ...rest) => {
        statements.push(sql.split(' ').slice(0, 2).join(' '))
        return run(sql, ...rest)
      }
      const openFiles = new OpenFiles({ ownFolder: join(scratch.path, 'files'), dataDir: null, datasets: [] })
      const store = new TableStore(connection, null, openFiles)
      const tables = TABLES.slice(0, count)
      for (const definition of tables) store.declare({ definition, origin: { kind: 'files', files } })
      await store.refresh(tables.map(({ name }) => name))
      instance.closeSync()
      return statements
    }

    it('need no statement of DuckDB where there are no files', async () => {
      expect(await statementsFor([])).to.deep.equal([])
    })
  })
})
