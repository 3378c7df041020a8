/** A server of one endpoint with pages, and with a column and a parameter of each type, beside the project's own endpoints. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunner } from '../../runner/serve/runner.js'

export const TOKEN = 'unrestricted-token-of-32-letters'

const MANIFEST = `id: 3a9f6f6e-7d1b-4f0e-8f43-1b6f0a1f7c55
name: every.type
description: One row with a column of each type.
parameters:
  text: { type: string, required: true, max_length: 20, pattern: '[a-z]+', examples: [abc], description: Given back. }
  period: { type: string, required: true, description: 'How many days: day or week.' }
  choice: { type: string, enum: [a, b], default: a }
  whole: { type: int64, minimum: 1, maximum: 9, default: 5 }
  real: { type: float64, minimum: 0.5, examples: [1.5] }
  flag: { type: bool, default: true }
  day: { type: date, minimum: '2026-01-01', examples: ['2026-01-31'] }
  civil: { type: datetime }
  moment: { type: timestamp }
  price: { type: numeric, minimum: 0.01, maximum: '99999999999999999999.5', examples: [1.5] }
  weight: { type: bignumeric, default: '0.00000000000000000000000000000000000001' }
  hour: { type: time, minimum: '00:00', examples: ['09:30:00'] }
  key: { type: uuid, examples: [5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30] }
  zone: { type: timezone, default: Europe/Berlin }
  filter:
    type: json
    schema: { type: object, required: [from], properties: { from: { type: integer }, tags: { type: array, items: { type: string } } } }
    examples: ['{"from":1}']
  prices: { type: array<numeric>, examples: ['1.5'] }
  words: { type: array<string>, max_length: 3, examples: [x] }
  numbers: { type: array<int64>, default: [1, 2] }
  search: { type: string, format: re2, pinned_as: '^{pin}$' }
lookups:
  period: { by: period, rows: { day: { days: 1 }, week: { days: 7 } }, default: day }
settings: { max_rows: 10, pages: { max_size: 5 } }
columns:
  - { name: text, type: STRING, required: true }
  - { name: days, type: INT64, required: true, json: number, unit: days, description: How many days. }
  - { name: any_whole, type: INT64 }
  - { name: digits, type: INT64, json: string }
  - { name: real, type: FLOAT64, required: true, json: number }
  - { name: any_real, type: FLOAT64 }
  - { name: money, type: NUMERIC, required: true }
  - { name: plain_money, type: NUMERIC, json: number }
  - { name: big, type: BIGNUMERIC }
  - { name: flag, type: BOOL }
  - { name: bytes, type: BYTES }
  - { name: day, type: DATE }
  - { name: clock, type: TIME }
  - { name: civil, type: DATETIME }
  - { name: moment, type: TIMESTAMP, required: true }
  - { name: document, type: JSON }
  - { name: pause, type: INTERVAL }
  - { name: words, type: ARRAY<STRING> }
  - { name: nested, type: ARRAY<STRUCT> }
sql: |
  SELECT
    @text AS text, {{period.days}} AS days, 9007199254740993 AS any_whole, 7 AS digits, 0.5 AS real,
    CAST('NaN' AS FLOAT64) AS any_real, NUMERIC '-12.50' AS money, NUMERIC '0.25' AS plain_money,
    BIGNUMERIC '0.5' AS big, @flag AS flag, b'hi' AS bytes, DATE '2026-01-31' AS day, TIME '12:00:00.5' AS clock,
    DATETIME '2026-01-31 12:00:00' AS civil, TIMESTAMP '2026-01-31 12:00:00.123456+00' AS moment,
    JSON '{"a":[1,null]}' AS document, INTERVAL 1 DAY AS pause, @words AS words,
    [STRUCT(@whole AS whole, STRUCT(@day AS day) AS inner_one, [1.5] AS reals, CAST(NULL AS NUMERIC) AS none)] AS nested
  FROM UNNEST([1])
  WHERE (@choice IN ('a', 'b')) AND COALESCE(@real, 1) > 0 AND (@civil IS NULL OR @civil > '1900-01-01')
    AND (@moment IS NULL OR @moment > '1900-01-01') AND ARRAY_LENGTH(@numbers) >= 0
    AND (@price IS NULL OR @price + @weight > 0) AND (@hour IS NULL OR @hour >= TIME '00:00:00') AND (@key IS NULL OR @key != '')
    AND DATETIME(TIMESTAMP '2026-01-31 12:00:00Z', @zone) > '2026-01-01' AND (@filter IS NULL OR JSON_VALUE(@filter.from) != '')
    AND ARRAY_LENGTH(@prices) >= 0
    AND (@search IS NULL OR NOT REGEXP_CONTAINS('x', @search))
`

export interface EveryType {
  readonly url: string
  /** The document as text; `query` such as `?version=3.0`. */
  document(query?: string): Promise<string>
  close(): Promise<void>
}

export async function serveEveryType(): Promise<EveryType> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-openapi-'))
  const endpointsDir = join(folder, 'endpoints')
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  cpSync('endpoints', endpointsDir, { recursive: true })
  writeFileSync(join(endpointsDir, 'every.type.yaml'), MANIFEST)
  const runner = await createRunner({ port: 0, endpointsDir, dataDir, token: TOKEN, engineMemoryMb: 256 })
  const server = await runner.listen()
  return {
    url: server.url,
    async document(query = '') {
      const response = await fetch(`${server.url}/openapi.json${query}`, { headers: { 'X-API-KEY': TOKEN } })
      return response.text()
    },
    async close() {
      await server.close()
      await runner.close()
      rmSync(folder, { recursive: true })
    },
  }
}
