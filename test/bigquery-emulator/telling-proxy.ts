/**
 * A proxy in front of the emulator, which tells what the emulator does not: when a table was changed, whether rows are streamed to it,
 * which tables are behind a view, and the partitions of tables.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TellingProxy {
  /** The address in the form of BIGQUERY_EMULATOR_HOST. */
  readonly host: string
  /** What tables.get says of `dataset.table`, beside what the emulator says; a number is the status of an error. */
  readonly tables: Map<string, object | number>
  /** The tables that dry runs list, by a text of the query. */
  readonly listed: Map<string, readonly string[]>
  /** The partitions of tables, in the order of their rows in INFORMATION_SCHEMA.PARTITIONS. */
  readonly partitions: Partition[]
  /** How often each `dataset.table` was asked for. */
  readonly asked: Map<string, number>
  stop(): Promise<void>
}

export interface Partition {
  /** Its name without the dataset. */
  readonly table: string
  readonly id: string
  /** When it was changed, in seconds since 1970. */
  changed: number
}

export async function startTellingProxy(emulatorHost: string, project: string): Promise<TellingProxy> {
  const tables = new Map<string, object | number>()
  const listed = new Map<string, readonly string[]>()
  const asked = new Map<string, number>()
  const partitions: Partition[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = withPartitions(Buffer.concat(chunks).toString(), partitions)
    const path = request.url!.replace(/^\/bigquery\/v2/, '')
    const type = { 'Content-Type': request.headers['content-type'] ?? 'application/json' }
    const asPost = { body, headers: { ...type, Connection: 'close' } }
    const inner = await fetch(emulatorHost + path, {
      method: request.method!,
      ...(request.method === 'POST' && asPost),
    })
    let [status, document] = [inner.status, (await inner.json()) as Record<string, unknown>]
    const [, dataset, table] = /\/datasets\/([^/?]+)\/tables\/([^/?]+)/.exec(path) ?? []
    if (request.method === 'GET' && table !== undefined) {
      const name = `${dataset}.${table}`
      asked.set(name, (asked.get(name) ?? 0) + 1)
      const told = tables.get(name) ?? {}
      if (typeof told === 'number') status = told
      document =
        typeof told === 'number' ? { error: { code: told, message: 'no', errors: [] } } : { ...document, ...told }
    }
    const isDryRun = (document['configuration'] as { dryRun?: boolean } | undefined)?.dryRun
    if (isDryRun) {
      const referencedTables = [...listed]
        .filter(([text]) => String(body).includes(text))
        .flatMap(([, names]) => names.map(name => name.split('.')))
        .map(([datasetId, tableId]) => ({ projectId: project, datasetId, tableId }))
      const { statistics = {} } = document as { statistics?: { query?: object } }
      document = { ...document, statistics: { ...statistics, query: { ...statistics.query, referencedTables } } }
    }
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(document))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(cause => response.destroy(cause as Error))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tables,
    listed,
    partitions,
    asked,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The request, whose query reads a list in place of INFORMATION_SCHEMA.PARTITIONS. */
function withPartitions(body: string, partitions: readonly Partition[]): string {
  const rows = partitions.map(
    ({ table, id, changed }) =>
      `SELECT '${table}' AS table_name, '${id}' AS partition_id, TIMESTAMP_SECONDS(${changed}) AS last_modified_time, 1 AS total_rows`,
  )
  return body.replace(/`[^`]*INFORMATION_SCHEMA\.PARTITIONS`/, `(${rows.join(' UNION ALL ')})`)
}
