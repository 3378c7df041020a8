/** Replicas inside this process that serve a small shop, and calls to them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningServer } from '../../runner/http/server/server.js'
import type { Event, Observer } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { readSettings, type Settings } from '../../runner/settings/settings.js'

export const TOKEN = 'unrestricted-token-of-32-letters'
const IDS = {
  'shop.all': '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a01',
  'shop.warm': '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a02',
  'shop.live': '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a03',
  'shop.bad': '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a04',
  'shop.slow': '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a05',
} as const

/** A manifest over the orders, with this `cache` setting and this result column. */
const manifest = (name: keyof typeof IDS, cache: string, select = 'COUNT(*)'): string => `
id: ${IDS[name]}
name: ${name}
description: Orders.
parameters:
  tag: { type: string, description: Makes calls differ. }
settings:
  cache: ${cache}
sql: |
  SELECT ${select} AS n, @tag AS tag FROM \`shop.orders\` GROUP BY tag
`
/** An expression that takes seconds. */
const SLOWER =
  '(SELECT SUM(MOD(i * j, 1009)) FROM UNNEST(GENERATE_ARRAY(1, 8000)) AS i, UNNEST(GENERATE_ARRAY(1, 8000)) AS j) + COUNT(*)'
/** A sum over enough rows that concurrent callers meet while it is computed. */
const SLOW = '(SELECT SUM(MOD(i * 7919, 1009)) FROM UNNEST(GENERATE_ARRAY(1, 1000000)) AS i) + COUNT(*)'

export interface Replica {
  readonly runner: Runner
  readonly server: RunningServer
  readonly events: Event[]
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replicas-'))
  for (const name of ['endpoints', 'tables', 'data/shop']) mkdirSync(join(folder, name), { recursive: true })
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  // Grouped by the argument, the pattern would be a column.
  const bad = manifest('shop.bad', '{ ttl_seconds: 900 }', 'REGEXP_CONTAINS(MAX(name), @tag)').replace(
    '@tag AS tag',
    '1 AS tag',
  )
  write('endpoints/all.yaml', manifest('shop.all', '{ ttl_seconds: 900 }', SLOW))
  write('endpoints/warm.yaml', manifest('shop.warm', '{ ttl_seconds: 3, warm_seconds: 1 }'))
  write('endpoints/live.yaml', manifest('shop.live', '{ until: data_changes }'))
  write('endpoints/bad.yaml', bad)
  write('endpoints/slow.yaml', manifest('shop.slow', '{ ttl_seconds: 900 }', SLOWER))
  write('tables/shop.orders.json', JSON.stringify([{ name: 'name', type: 'STRING' }]))
  write('data/shop/orders.ndjson', '{"name":"a"}\n{"name":"b"}\n')
  return folder
}

/** The folders that `makeFolder` creates, by the names of their flags. */
export const foldersOf = (folder: string): Readonly<Record<string, string>> => ({
  endpoints: join(folder, 'endpoints'),
  tables: join(folder, 'tables'),
  data: join(folder, 'data'),
})

export function settingsOf(folder: string, environment: Readonly<Record<string, string>>): Settings {
  const engine = { 'engine-memory': '128', 'engine-threads': '1', grace: '1' }
  return readSettings({ port: '0', ...foldersOf(folder), ...engine }, { SLUICE_TOKEN: TOKEN, ...environment })
}

export async function openReplica(settings: Settings, observe: Observer = () => {}): Promise<Replica> {
  const events: Event[] = []
  const runner = await createRunner(settings, {
    observe(event) {
      events.push(event)
      observe(event)
    },
  })
  return { runner, server: await runner.listen(), events }
}

export const queries = (...replicas: readonly Replica[]): number =>
  replicas.flatMap(({ events }) => events).filter(({ kind }) => kind === 'query.started').length

export interface Answer {
  readonly status: number
  readonly rows: readonly { readonly n: unknown }[]
  readonly cache: string
  readonly response: Response
}

export async function call({ server }: Replica, path: string, init: RequestInit = {}): Promise<Answer> {
  const address = `${server.url}/api/endpoints/query/${path}`
  const response = await fetch(address, { ...init, headers: { 'X-API-KEY': TOKEN, ...init.headers } })
  const text = await response.text()
  const rows = response.status === 200 ? (JSON.parse(text) as { result: { n: unknown }[] }).result : []
  return { status: response.status, rows, cache: response.headers.get('cache-status') ?? '', response }
}

export const purge = ({ server }: Replica, name: string, token = TOKEN): Promise<Response> =>
  fetch(`${server.url}/api/endpoints/${name}/purge`, { method: 'POST', headers: { 'X-API-KEY': token } })
