/**
 * A fake of the part of BigQuery's REST interface for tables and functions: tables.list in pages, tables.get, routines.get, errors as
 * documented.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeTables {
  /** The address in the form of BIGQUERY_EMULATOR_HOST. */
  readonly host: string
  /** The requests in order of arrival, such as `GET projects/p/datasets/d/tables?maxResults=1000`. */
  readonly requests: readonly string[]
  stop(): Promise<void>
}

export interface FakeTablesOptions {
  /** The tables by `project.dataset.table`, each in the form of tables.get without its tableReference. */
  readonly tables: Readonly<Record<string, object>>
  /** The functions by `project.dataset.name`, each in the form of routines.get without its routineReference. @default none */
  readonly routines?: Readonly<Record<string, object>>
  /** The most tables in a page of tables.list, however many the request asks for. @default all */
  readonly pageSize?: number
  /** The statuses with which the next requests are answered, each with an empty answer. */
  readonly failures?: number[]
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Starts the server; the caller must stop it. */
export async function startFakeTables(options: FakeTablesOptions): Promise<FakeTables> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url!.replace(/^\/bigquery\/v2\//, '')
    requests.push(`${request.method} ${path}`)
    const failure = options.failures?.shift()
    const { status, body } = failure === undefined ? answer(new URL(path, 'http://fake/'), options) : refusal(failure)
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const refusal = (status: number): Answer => ({
  status,
  body: { error: { code: status, message: `refused with ${status}`, errors: [{ message: `refused with ${status}` }] } },
})

function answer(
  { pathname, searchParams }: URL,
  { tables, routines = {}, pageSize = 1_000 }: FakeTablesOptions,
): Answer {
  const routine = /^\/projects\/([^/]+)\/datasets\/([^/]+)\/routines\/([^/]+)$/.exec(pathname)
  if (routine) {
    const name = routine.slice(1).map(decodeURIComponent).join('.')
    const found = routines[name]
    return found ? { status: 200, body: found } : notFound(`Routine ${name}`)
  }
  const match = /^\/projects\/([^/]+)\/datasets\/([^/]+)\/tables(?:\/([^/]+))?$/.exec(pathname)
  const [project, dataset, table] = (match ?? []).slice(1).map(part => part && decodeURIComponent(part))
  if (project === undefined || dataset === undefined) return notFound(pathname)
  if (table !== undefined) {
    const found = tables[`${project}.${dataset}.${table}`]
    if (!found) return notFound(`Table ${project}:${dataset}.${table}`)
    return {
      status: 200,
      body: { kind: 'bigquery#table', ...reference(project, dataset, table), type: 'TABLE', ...found },
    }
  }
  const names = Object.keys(tables).filter(name => name.startsWith(`${project}.${dataset}.`))
  if (names.length === 0) return notFound(`Dataset ${project}:${dataset}`)
  const from = Number(searchParams.get('pageToken') ?? '0')
  const page = names.slice(from, from + pageSize).map(name => ({
    ...reference(project, dataset, name.slice(name.lastIndexOf('.') + 1)),
    type: (tables[name] as { readonly type?: string }).type ?? 'TABLE',
  }))
  const isLast = from + pageSize >= names.length
  return { status: 200, body: { tables: page, ...(!isLast && { nextPageToken: String(from + pageSize) }) } }
}

const reference = (projectId: string, datasetId: string, tableId: string): object => ({
  tableReference: { projectId, datasetId, tableId },
})

function notFound(what: string): Answer {
  const message = `Not found: ${what}`
  const errors = [{ message, domain: 'global', reason: 'notFound' }]
  return { status: 404, body: { error: { code: 404, message, errors, status: 'NOT_FOUND' } } }
}
