/** The fake BigQuery of the tests in a process of its own: `tsx bench/bigquery-fake.ts [LATENCY_MS]`; prints its address. */
import { openFakeBigQuery } from '../test/engines/bigquery/fake-bigquery.js'

const fake = await openFakeBigQuery(Date.now)
fake.latencyMs = Number(process.argv[2] ?? 0)
fake.plan = () => ({
  fields: [{ name: 'n', type: 'INTEGER' }],
  rows: Array.from({ length: 10 }, (_, i) => ({ f: [{ v: String(i) }] })),
})
console.log(`ready ${fake.url}`)
