/** A server of an endpoint with pages, beside one without, for clients of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientEndpoint, readEndpoints } from '../../../authoring/client/contract.js'
import { createRunner } from '../../../runner/serve/runner.js'
import { TOKEN } from '../../http/serving.js'

const PAGED = `id: 9d0f4d0b-55a0-4b5c-9a38-2b1f0f7a6c14
name: shop.numbers
parameters:
  count: { type: int64, required: true }
  label: { type: string }
  faulty: { type: bool, default: false, description: Whether each run gives other rows. }
settings: { max_rows: 100, cache: disabled, pages: { max_size: 30 } }
columns:
  - { name: n, type: INT64, required: true, json: number }
  - { name: label, type: STRING }
  - { name: chance, type: FLOAT64 }
sql: |
  SELECT n, @label AS label, IF(@faulty, RAND(), 0) AS chance FROM UNNEST(GENERATE_ARRAY(1, @count)) AS n ORDER BY n
`
const WHOLE = `id: 9d0f4d0b-55a0-4b5c-9a38-2b1f0f7a6c15
name: shop.whole
sql: |
  SELECT 1 AS n
`

export interface PagedServer {
  readonly url: string
  /** As the server describes them. */
  readonly endpoints: readonly ClientEndpoint[]
  /** How many queries have been run. */
  queries(): number
  /** Forgets all results. */
  purge(): Promise<void>
  close(): Promise<void>
}

export async function servePages(): Promise<PagedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-paged-'))
  const [endpointsDir, dataDir] = [join(folder, 'endpoints'), join(folder, 'data')]
  for (const path of [endpointsDir, dataDir]) mkdirSync(path)
  writeFileSync(join(endpointsDir, 'shop.numbers.yaml'), PAGED)
  writeFileSync(join(endpointsDir, 'shop.whole.yaml'), WHOLE)
  let queries = 0
  const given = { port: 0, endpointsDir, dataDir, token: TOKEN, engineMemoryMb: 256 }
  const runner = await createRunner(given, {
    observe({ kind }) {
      if (kind === 'query.started') queries += 1
    },
  })
  const { url, close } = await runner.listen()
  const ask = (path: string, method: string): Promise<Response> =>
    fetch(`${url}/api/endpoints${path}`, { method, headers: { 'X-API-KEY': TOKEN } })
  return {
    url,
    endpoints: readEndpoints(await (await ask('', 'GET')).json())!,
    queries: () => queries,
    async purge() {
      const { ok } = await ask('/shop.numbers/purge', 'POST')
      if (!ok) throw new TypeError('the results are not purged')
    },
    async close() {
      await close()
      await runner.close()
      rmSync(folder, { recursive: true })
    },
  }
}
