/** Runs the fake BigQuery of the tests as a separate process: `tsx bench/bigquery-fake.ts [LATENCY_MS]`; prints its address. */
import { openFakeBigQuery } from '../test/engines/bigquery/fake-bigquery.js'

const fake = await openFakeBigQuery(Date.now)
fake.latencyMs = Number(process.argv[2] ?? 0)
const cells = (...values: readonly unknown[]) => ({ f: values.map(v => ({ v })) })
const FEW = {
  fields: [{ name: 'n', type: 'INTEGER' }],
  rows: Array.from({ length: 10 }, (_, i) => cells(String(i))),
}
const LABEL = [
  { name: 'key', type: 'STRING' },
  { name: 'value', type: 'STRING' },
]
const PAGE = {
  fields: [
    { name: 'id', type: 'INTEGER' },
    { name: 'project', type: 'STRING' },
    { name: 'at', type: 'TIMESTAMP' },
    { name: 'cost', type: 'NUMERIC' },
    { name: 'ratio', type: 'FLOAT' },
    { name: 'labels', type: 'RECORD', mode: 'REPEATED', fields: LABEL },
  ],
  rows: Array.from({ length: 1_000 }, (_, i) => {
    const labels = [cells('env', 'prod'), cells('team', 'core')].map(v => ({ v }))
    return cells(String(i), `project-${i % 7}`, String(1_700_000_000_000_000 + i), '12.345', String(i / 3), labels)
  }),
}
fake.plan = sql => (sql.includes('page') ? PAGE : FEW)
console.log(`ready ${fake.url}`)
