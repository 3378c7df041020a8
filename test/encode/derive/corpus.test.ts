/** Derived formats against those that the embedded engine writes itself, over all GoogleSQL cases. */
import { tmpdir } from 'node:os'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { derive } from '../../../runner/encode/derive/derive.js'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/engine.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import type { EngineFormat, ResultColumn, ResultSet } from '../../../runner/model/query.js'
import { runOptions } from '../../engines/ask-engine.js'
import { CLOCK } from '../../engines/duckdb/raw-engine.js'
import { caseFiles, caseTables, readCases, type SqlCase } from '../../googlesql/case-files.js'
import { readCsv } from './read-csv.js'

const FACTS = { endpoint: 'corpus', revision: 'r', isTruncated: false } as const

describe('derived formats of the GoogleSQL cases', () => {
  let engine: DuckdbEngine
  before(async () => {
    const tables = [...caseTables()].map(([name, { columns, rows }]) => ({
      definition: { name, columns },
      rows: rows.map(row => Object.fromEntries(columns.map((column, i) => [column.name, row[i]]))),
    }))
    engine = await openDuckdbEngine({
      dataDir: null,
      database: null,
      tables,
      memoryLimitMb: 1_024,
      threads: 2,
      tempDir: tmpdir(),
      maxResultBytes: 256_000_000,
      observe: () => undefined,
      clock: CLOCK,
    })
  })
  after(() => engine.close())

  for (const timestamps of ['iso8601', 'unix_micros'] as const) {
    const files = timestamps === 'iso8601' ? caseFiles() : ['arrays.yaml', 'timestamps.yaml', 'types.yaml']
    for (const file of files) {
      it(`${file}, timestamps as ${timestamps}`, async function () {
        this.timeout(120_000)
        const run = ({ sql, parameters = {} }: SqlCase, format: EngineFormat): Promise<ResultSet> =>
          engine.run({ sql, parameters }, runOptions({ maxRows: 100_000, format, timestamps }))
        for (const each of readCases(file)) {
          if (each.error !== undefined) continue
          const [{ columns, body: json, rowCount }, csv, ndjson] = (await Promise.all(
            (['json', 'csv', 'ndjson'] as const).map(format => run(each, format)),
          )) as [ResultSet, ResultSet, ResultSet]
          const arrow = await derive('arrow', columns, json, { ...FACTS, timestamps })
          expect(tableFromIPC(arrow).numRows, each.sql).to.equal(rowCount)
          for (const [format, { body }] of [
            ['csv', csv],
            ['ndjson', ndjson],
          ] as const) {
            const own = text(body)
            const derived = text(await derive(format, columns, json, { ...FACTS, timestamps }))
            if (derived === own) continue
            const isCsv = format === 'csv'
            const expected = isCsv ? withoutJsonNulls(own, columns) : own.split('\n')
            const actual = isCsv ? readCsv(derived) : derived.split('\n')
            const where = `${format} of ${file} line ${each.line}: ${each.sql}`
            if (each.unordered) expect(actual, where).to.have.deep.members([...expected])
            else expect(actual, where).to.deep.equal(expected)
          }
        }
      })
    }
  }
})

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** The engine's CSV has a JSON null as `null`; in derived formats it is NULL, as a JSON result does not tell them apart. */
const withoutJsonNulls = (csv: string, columns: readonly ResultColumn[]): readonly (readonly (string | null)[])[] =>
  readCsv(csv).map(row => row.map((cell, i) => (cell === 'null' && columns[i]!.type === 'JSON' ? null : cell)))
