/** Tables that are partitioned by ingestion time, from an import to a query. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../runner/platform/clock.js'
import { openEngine } from '../../runner/serve/engine.js'
import { DEFAULT_SETTINGS } from '../../runner/settings/settings.js'
import { rowsFrom } from '../engines/ask-engine.js'
import { itInAll } from '../sample-size.js'
import { command, scratch } from './command.js'

const schema = (type: string) =>
  JSON.stringify({ timePartitioning: { type }, schema: { fields: [{ name: 'id', type: 'INTEGER' }] } })
const MANIFEST = `id: 6b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b19
name: logs.hits
parameters: { day: { type: date, required: true } }
sql: |
  SELECT id FROM \`logs.hits\` WHERE _PARTITIONDATE = @day ORDER BY id
`
const TESTS = `tables:
  logs.hits:
    - { id: 1, _PARTITIONTIME: 2026-01-01T00:00:00Z }
    - { id: 2, _PARTITIONTIME: 2026-01-02T00:00:00Z }
    - { id: 3 }
tests:
  - { name: one day, arguments: { day: 2026-01-02 }, expect: { rows: [{ id: 2 }] } }
`

describe('tables partitioned by ingestion time', () => {
  const folder = scratch()
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const flags = (): string[] => ['--tables', folder.path('tables'), '--data', folder.path('data')]
  const importInto = (table: string, text: string, ...more: string[]) =>
    command(['import', table, '-', '--input-format', 'ndjson', ...more, ...flags()], {}, text)
  const query = async (sql: string): Promise<string> => {
    const { out, err } = await command(['query', sql, '--format', 'csv', ...flags()])
    return (out + err).replaceAll('\r', '')
  }

  before(async () => {
    write('tables/logs.hits.json', schema('DAY'))
    write('tables/logs.hourly.json', schema('HOUR'))
    write('tables/logs.monthly.json', schema('MONTH'))
    mkdirSync(folder.path('data'))
    for (const [i, table] of ['logs.hits$20260101', 'logs.hits$20260102', 'logs.hits$20260103'].entries()) {
      expect((await importInto(table, `{"id": ${i + 1}}\n{"id": ${i + 11}}\n`)).code).to.equal(0)
    }
    expect((await importInto('logs.hourly$2026010123', '{"id": 1}\n')).code).to.equal(0)
    expect((await importInto('logs.monthly$202602', '{"id": 1}\n')).code).to.equal(0)
    write('data/logs/hits/loose.ndjson', '{"id": 99}\n')
  })
  after(() => folder.remove())

  it('have the time and the date of the partition of each row, outside of *', async () => {
    expect(
      await query('SELECT *, _PARTITIONTIME AS t, _PARTITIONDATE AS d FROM logs.hits WHERE id IN (2, 99) ORDER BY id'),
    ).to.equal('id,t,d\n2,2026-01-02T00:00:00Z,2026-01-02\n99,,\n')
    expect(await query('SELECT * FROM logs.hourly')).to.equal('id\n1\n')
    expect(await query('SELECT _PARTITIONTIME AS t FROM logs.hourly')).to.equal('t\n2026-01-01T23:00:00Z\n')
    expect(await query('SELECT h._partitiontime AS t FROM logs.monthly AS h')).to.equal('t\n2026-02-01T00:00:00Z\n')
    expect(await query('SELECT COUNT(*) AS n FROM logs.hits WHERE _PARTITIONTIME IS NULL')).to.equal('n\n1\n')
    expect(await query('SELECT _PARTITIONDATE AS d FROM logs.hourly')).to.contain('Unrecognized name: _PARTITIONDATE')
  })

  it('show their partitions and clusters in INFORMATION_SCHEMA.COLUMNS', async () => {
    const fields = ['id', 'kind', 'note'].map(name => ({ name, type: 'STRING' }))
    const layout = { timePartitioning: { type: 'DAY' }, clustering: { fields: ['kind', 'id'] } }
    write('tables/clustered.visits.json', JSON.stringify({ ...layout, schema: { fields } }))
    const columns = 'column_name, is_partitioning_column, clustering_ordinal_position'
    const sql = `SELECT ${columns} FROM clustered.INFORMATION_SCHEMA.COLUMNS ORDER BY column_name`
    expect(await query(sql)).to.equal(
      `${columns.replaceAll(' ', '')}\n_PARTITIONDATE,NO,\n_PARTITIONTIME,YES,\nid,NO,2\nkind,NO,1\nnote,NO,\n`,
    )
  })

  it('show their partitions and the rows in them in INFORMATION_SCHEMA.PARTITIONS', async () => {
    const counts = 'SELECT table_name, partition_id, total_rows FROM logs.INFORMATION_SCHEMA.PARTITIONS ORDER BY 1, 2'
    expect(await query(counts)).to.equal(
      'table_name,partition_id,total_rows\nhits,20260101,2\nhits,20260102,2\nhits,20260103,2\nhits,__UNPARTITIONED__,1\n' +
        'hourly,2026010123,1\nmonthly,202602,1\n',
    )
  })

  it('show partitions of a column, and NULL for a table without partitions', async () => {
    const fields = [
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'day', type: 'DATE' },
    ]
    const partitioned = (type: string, field: string): string =>
      JSON.stringify({ timePartitioning: { type, field }, schema: { fields } })
    write('tables/parts.hours.json', partitioned('HOUR', 'at'))
    write('tables/parts.years.json', partitioned('YEAR', 'day'))
    write(
      'tables/parts.none.json',
      JSON.stringify({ timePartitioning: { type: 'DAY', field: 'day' }, schema: { fields } }),
    )
    write('tables/parts.whole.json', JSON.stringify({ schema: { fields } }))
    const rows =
      '{"at": "2026-01-31T23:59:59Z", "day": "2026-01-31"}\n{"at": "2026-01-31T23:00:00Z"}\n{"day": "2025-12-31"}\n'
    for (const table of ['hours', 'years', 'whole']) write(`data/parts/${table}.ndjson`, rows)
    const counts = 'SELECT table_name, partition_id, total_rows FROM parts.INFORMATION_SCHEMA.PARTITIONS ORDER BY 1, 2'
    expect(await query(counts)).to.equal(
      'table_name,partition_id,total_rows\nhours,2026013123,2\nhours,__NULL__,1\nwhole,,3\n' +
        'years,2025,1\nyears,2026,1\nyears,__NULL__,1\n',
    )
  })

  itInAll('are read partition by partition', async () => {
    const engine = await openEngine(
      {
        ...DEFAULT_SETTINGS,
        tablesDir: folder.path('tables'),
        dataDir: folder.path('data'),
        engineMemoryMb: 256,
        engineThreads: 1,
      },
      { observe: () => {}, clock: systemClock() },
    )
    const day = { type: 'DATE', value: '2026-01-03' }
    const days = { type: 'ARRAY<DATE>', value: ['2026-01-01', '2026-01-03'] }
    const CASES: readonly (readonly [sql: string, files: string, rows: number])[] = [
      ["SELECT id FROM logs.hits WHERE _PARTITIONTIME >= '2026-01-03'", '1/3', 2],
      ['SELECT id FROM logs.hits WHERE _PARTITIONDATE = @day', '1/3', 2],
      ['SELECT id FROM logs.hits WHERE DATE(_PARTITIONTIME) = @day', '1/3', 2],
      ["SELECT id FROM logs.hits WHERE DATE(_PARTITIONTIME) BETWEEN '2026-01-01' AND '2026-01-02'", '2/3', 4],
      ["SELECT id FROM logs.hits WHERE TIMESTAMP_TRUNC(_PARTITIONTIME, DAY) = TIMESTAMP('2026-01-03')", '1/3', 2],
      ["SELECT id FROM logs.hits WHERE DATE(_PARTITIONTIME, 'Asia/Tokyo') = '2026-01-03'", 'all', 2],
      ["SELECT id FROM logs.hits WHERE DATE(_PARTITIONTIME) < '2026-01-03' OR _PARTITIONTIME < '2026-01-02'", '2/3', 4],
      ["SELECT id FROM logs.hits WHERE _PARTITIONDATE IN ('2026-01-01', @day)", '2/3', 4],
      ['SELECT id FROM logs.hits WHERE _PARTITIONDATE IN UNNEST(@days)', '2/3', 4],
      ['SELECT id FROM (SELECT *, _PARTITIONDATE AS d FROM logs.hits) WHERE d = @day', '1/3', 2],
      [
        'WITH h AS (SELECT id, _PARTITIONTIME AS t FROM logs.hits) ' +
          "SELECT a.id FROM h AS a JOIN h AS b USING (id) WHERE a.t = '2026-01-01' AND b.t <= '2026-01-01'",
        '1/1',
        2,
      ],
      [
        'SELECT d, COUNT(*) AS n FROM (SELECT DATE(_PARTITIONTIME) AS d FROM logs.hits) WHERE d = @day GROUP BY d',
        '1/3',
        1,
      ],
    ]
    try {
      for (const [sql, files, rows] of CASES) {
        const parameters = { ...(/@day\b/.test(sql) && { day }), ...(sql.includes('@days') && { days }) }
        expect(await rowsFrom(engine, sql, parameters), sql).to.have.length(rows)
        const { plan } = await engine.explain({ sql, parameters })
        expect(/Scanning Files: (\d\/\d)/.exec(plan)?.[1] ?? 'all', sql).to.equal(files)
        const reads = await engine.dryRun({ sql, parameters })
        const read = files === 'all' ? 3 : Number(files[0])
        const [table] = reads.engine === 'duckdb' ? reads.tables : []
        expect(table, sql).to.include({ table: 'logs.hits', files: read + 1 })
        expect(table?.parts, sql).to.deep.equal({ kind: 'partitions', read, of: 3 })
      }
    } finally {
      await engine.close()
    }
  })

  itInAll('have the time that tests give them', async () => {
    write('endpoints/logs.hits.yaml', MANIFEST)
    write('endpoints/logs.hits.test.yaml', TESTS)
    const { code, out } = await command([
      'test',
      '--endpoints',
      folder.path('endpoints'),
      '--tables',
      folder.path('tables'),
    ])
    expect(code, out).to.equal(0)
  })

  itInAll('take the time of the import where no partition is named', async () => {
    write('tables/logs.now.json', schema('DAY'))
    expect((await importInto('logs.now', '{"id": 1}\n')).code).to.equal(0)
    expect(await query('SELECT COUNT(*) AS n FROM logs.now WHERE _PARTITIONTIME > "2026-01-01"')).to.equal('n\n1\n')
  })

  it('refuse a partition that cannot be', async () => {
    for (const [table, reason, ...more] of [
      ['logs.hits$202601', 'a partition of logs.hits is named like $20260131'],
      ['logs.hits$20260231', 'a partition of logs.hits is named like $20260131'],
      ['logs.hourly$20260101', 'a partition of logs.hourly is named like $2026013112'],
      ['logs.hits$20260101', '--replace replaces the whole table', '--replace'],
    ] as const) {
      const { code, err } = await importInto(table, '{"id": 1}\n', ...more)
      expect(code, err).to.equal(2)
      expect(err).to.contain(reason)
    }
  })
})
