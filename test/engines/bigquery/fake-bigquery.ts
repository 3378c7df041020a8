/** BigQuery's REST interface as its reference documents it, over HTTP, with an account of its jobs and faults put in. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type FakeJob, type FakeJobs, fakeJobs, type JobPlan } from './fake-jobs.js'

/** What a request asks for. `find` is the start of a job that is there already. */
export type RequestKind = 'start' | 'find' | 'insert' | 'dry-run' | 'poll' | 'page' | 'cancel' | 'get'

export interface Exchange {
  readonly kind: RequestKind
  /** Of the query that it is about; '' where that is not known. */
  readonly sql: string
  /** The how manieth of its kind about this query, from 1. */
  readonly nth: number
  readonly headers: http.IncomingHttpHeaders
  /** `{}` of a GET. */
  readonly body: Body
}

/** What goes wrong with an exchange. */
export type Fault =
  /** An error answer; `isDone`: what was asked for was done all the same. */
  | {
      readonly status: number
      readonly reason?: string
      readonly message?: string
      readonly retryAfter?: number
      readonly isDone?: boolean
    }
  /** It is done, and of the answer only so many bytes arrive, head included; Infinity: all, then the connection ends. */
  | { readonly cutAt: number }
  /** The connection ends before anything is done. */
  | { readonly drop: true }
  /** It is done and never answered. */
  | { readonly hang: true }
  /** A success with this body. */
  | { readonly body: string }

export interface FakeBigQuery {
  /** The base address: `http://127.0.0.1:1234/bigquery/v2`. */
  readonly url: string
  readonly jobs: FakeJobs
  readonly exchanges: Exchange[]
  /** Connections that were opened. */
  readonly connections: () => number
  /** Bytes of the longest whole answer to this kind of request, head included. */
  readonly answerBytes: (kind: RequestKind) => number
  plan: (sql: string) => JobPlan
  fault: (exchange: Exchange) => Fault | undefined
  /** Put before each answer. */
  latencyMs: number
  isZipping: boolean
  readonly close: () => Promise<void>
}

const PATH = '/bigquery/v2'
const PROJECT = 'p'
const LOCATION = 'EU'

export async function openFakeBigQuery(nowMs: () => number): Promise<FakeBigQuery> {
  const jobs = fakeJobs(nowMs)
  const exchanges: Exchange[] = []
  const counts = new Map<string, number>()
  const lengths = new Map<RequestKind, number>()
  let connections = 0
  const server = http.createServer((request, response) => void serve(request, response))
  server.keepAliveTimeout = 60_000
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeBigQuery = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    jobs,
    exchanges,
    connections: () => connections,
    answerBytes: kind => lengths.get(kind) ?? 0,
    plan: () => ({}),
    fault: () => undefined,
    latencyMs: 0,
    isZipping: false,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return fake

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (body === null) return
    const url = new URL(request.url ?? '', 'http://fake')
    const asked = { method: request.method ?? '', path: url.pathname.slice(PATH.length), query: url.searchParams, body }
    const exchange = exchangeOf(asked, request)
    exchanges.push(exchange)
    const fault = fake.fault(exchange)
    if (fake.latencyMs > 0) await elapse(fake.latencyMs)
    if (fault && 'drop' in fault) return void request.socket.destroy()
    const isRefused = fault !== undefined && 'status' in fault && !fault.isDone
    const done = isRefused ? null : (unknownName(body) ?? answer(asked, exchange.kind))
    if (done?.holdMs) await elapse(done.holdMs)
    if (fault && 'hang' in fault) return
    if (fault && 'body' in fault) return send(exchange.kind, response, { status: 200, text: fault.body }, undefined)
    const { status, value } = fault && 'status' in fault ? errorAnswer(fault) : (done ?? errorAnswer({ status: 500 }))
    const retryAfter = fault && 'status' in fault ? fault.retryAfter : undefined
    send(exchange.kind, response, { status, text: JSON.stringify(value), retryAfter }, fault)
  }

  function exchangeOf(asked: Asked, request: IncomingMessage): Exchange {
    const { kind, sql } = kindOf(asked)
    const key = `${kind} ${sql}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return { kind, sql, nth, headers: request.headers, body: asked.body }
  }

  function kindOf({ method, path, query, body }: Asked): { readonly kind: RequestKind; readonly sql: string } {
    if (method === 'POST' && path === `/projects/${PROJECT}/queries`) {
      const known = jobs.byKey(String(body.requestId))
      return { kind: known ? 'find' : 'start', sql: String(body.query) }
    }
    if (method === 'POST' && path === `/projects/${PROJECT}/jobs`) {
      const { dryRun, query: asked } = body.configuration as Inserted
      return { kind: dryRun ? 'dry-run' : 'insert', sql: asked.query }
    }
    const sql = jobs.byId(idOf(path))?.sql ?? ''
    if (path.endsWith('/cancel')) return { kind: 'cancel', sql }
    if (path.includes('/jobs/')) return { kind: 'get', sql }
    return { kind: query.has('pageToken') ? 'page' : 'poll', sql }
  }

  function answer(asked: Asked, kind: RequestKind): Answered {
    const { body, query, path } = asked
    switch (kind) {
      case 'start':
      case 'find': {
        const sql = String(body.query)
        const endsAt = nowMs() + Number(body.jobTimeoutMs)
        const job = jobs.start(String(body.requestId), { sql, request: body, plan: fake.plan(sql), endsAt })
        return resultAnswer(job, { maxResults: body.maxResults, timeoutMs: Number(body.timeoutMs), isStart: true })
      }
      case 'insert':
        return inserted(body)
      case 'dry-run':
        return dryRun(body)
      default:
    }
    const job = jobs.byId(idOf(path))
    if (!job || query.get('location') !== LOCATION) {
      return errorAnswer({ status: 404, reason: 'notFound', message: `Not found: Job ${PROJECT}:${idOf(path)}` })
    }
    if (kind === 'cancel') {
      jobs.cancel(job)
      return { status: 200, value: { kind: 'bigquery#jobCancelResponse', job: jobResource(job) } }
    }
    if (kind === 'get') return { status: 200, value: jobResource(job) }
    return resultAnswer(job, {
      maxResults: query.get('maxResults'),
      timeoutMs: Number(query.get('timeoutMs')),
      from: Number(query.get('pageToken') ?? 0),
    })
  }

  function inserted(body: Body): Answered {
    const { jobId = '' } = body.jobReference as { jobId?: string }
    const { query, jobTimeoutMs } = body.configuration as Inserted
    if (jobs.byKey(jobId)) {
      const message = `Already Exists: Job ${PROJECT}:${LOCATION}.${jobId}`
      return errorAnswer({ status: 409, reason: 'duplicate', message })
    }
    const plan = fake.plan(query.query)
    const job = jobs.start(
      jobId,
      { sql: query.query, request: body, plan, endsAt: nowMs() + Number(jobTimeoutMs) },
      jobId,
    )
    return { status: 200, value: jobResource(job) }
  }

  function dryRun(body: Body): Answered {
    const { query } = body.configuration as Inserted
    const { failure, fields = [], bytesProcessed = 0 } = fake.plan(query.query)
    if (failure) return errorAnswer(failure)
    const statistics = { query: { schema: { fields }, totalBytesProcessed: String(bytesProcessed) } }
    return { status: 200, value: { kind: 'bigquery#job', status: { state: 'DONE' }, statistics } }
  }

  /** What `jobs.query` and `jobs.getQueryResults` answer. */
  function resultAnswer(job: FakeJob, wish: ResultWish): Answered {
    const { timeoutMs, from = 0, isStart = false } = wish
    const jobReference = { projectId: PROJECT, jobId: job.id, location: LOCATION }
    const { fields = [], rows = [], bytesProcessed = 0, bytesBilled = 0, cacheHit = false, holdMs = 0 } = job.plan
    const end = jobs.settle(job)
    if (end === null) {
      return { status: 200, value: { jobReference, jobComplete: false }, holdMs: Math.min(timeoutMs, holdMs) }
    }
    if (end === 'failed' && job.plan.failure) return errorAnswer(job.plan.failure)
    if (end !== 'done') return errorAnswer(STOPPED[end === 'timed out' ? 'timed out' : 'cancelled'])
    const count = Math.min(Number(wish.maxResults ?? rows.length), job.plan.pageRows ?? rows.length)
    const to = Math.min(rows.length, from + count)
    return {
      status: 200,
      value: {
        kind: isStart ? 'bigquery#queryResponse' : 'bigquery#getQueryResultsResponse',
        schema: { fields },
        jobReference,
        totalRows: String(rows.length),
        ...(to < rows.length && { pageToken: String(to) }),
        rows: rows.slice(from, to),
        totalBytesProcessed: String(bytesProcessed),
        ...(isStart && bytesBilled !== null && { totalBytesBilled: String(bytesBilled) }),
        jobComplete: true,
        cacheHit,
        ...(job.plan.warnings && { errors: job.plan.warnings }),
      },
    }
  }

  function send(kind: RequestKind, response: ServerResponse, given: Sent, fault: Fault | undefined): void {
    const plain = Buffer.from(given.text)
    const content = fake.isZipping ? gzipSync(plain) : plain
    const head = [
      `HTTP/1.1 ${given.status} ${http.STATUS_CODES[given.status] ?? ''}`,
      'Content-Type: application/json; charset=UTF-8',
      `Content-Length: ${content.byteLength}`,
      ...(fake.isZipping ? ['Content-Encoding: gzip'] : []),
    ]
    lengths.set(kind, Math.max(lengths.get(kind) ?? 0, head.join('\r\n').length + 4 + content.byteLength))
    if (fault && 'cutAt' in fault) {
      const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]).subarray(0, fault.cutAt)
      const { socket } = response
      if (bytes.byteLength === 0) socket?.destroy()
      else socket?.write(bytes, () => socket.destroy())
      return
    }
    response.writeHead(given.status, {
      'Content-Type': 'application/json; charset=UTF-8',
      'Content-Length': content.byteLength,
      ...(fake.isZipping && { 'Content-Encoding': 'gzip' }),
      ...(given.retryAfter !== undefined && { 'Retry-After': given.retryAfter }),
    })
    response.end(content)
  }
}

type Body = Readonly<Record<string, unknown>>

/** The members of the messages that are used here, by the reference: anything else is refused, as Google does. */
const QUERY_NAMES = 'query useLegacySql parameterMode queryParameters defaultDataset maximumBytesBilled'
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set(
    `${QUERY_NAMES} requestId timeoutMs jobTimeoutMs maxResults labels location formatOptions reservation jobReference
    configuration`.split(/\s+/),
  ),
  configuration: new Set('dryRun jobTimeoutMs labels reservation query'.split(' ')),
  'configuration.query': new Set(`${QUERY_NAMES} priority`.split(' ')),
}

function unknownName(body: Body): Answered | null {
  const configuration = (body.configuration ?? {}) as Body
  const query = typeof configuration.query === 'object' ? (configuration.query as Body) : {}
  const parts = { '': body, configuration, 'configuration.query': query }
  for (const [place, part] of Object.entries(parts)) {
    const name = Object.keys(part).find(key => !MEMBERS[place]!.has(key))
    if (name === undefined) continue
    const message = `Invalid JSON payload received. Unknown name "${name}" at '${place}': Cannot find field.`
    return errorAnswer({ status: 400, reason: 'badRequest', message })
  }
  return null
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Body
}

interface Inserted {
  readonly dryRun?: boolean
  readonly jobTimeoutMs?: string
  readonly query: { readonly query: string }
}

interface Answered {
  readonly status: number
  readonly value: unknown
  readonly holdMs?: number
}

interface ResultWish {
  readonly maxResults: unknown
  readonly timeoutMs: number
  readonly from?: number
  readonly isStart?: boolean
}

interface Sent {
  readonly status: number
  readonly text: string
  readonly retryAfter?: number | undefined
}

const STOPPED = {
  cancelled: { status: 499, reason: 'stopped', message: 'Job execution was cancelled: User requested cancellation' },
  'timed out': { status: 499, reason: 'stopped', message: 'Job execution was cancelled: Job timed out after 1 sec' },
} as const

function errorAnswer(fault: {
  readonly status: number
  readonly reason?: string
  readonly message?: string
}): Answered {
  const { status, reason, message = http.STATUS_CODES[status] ?? '' } = fault
  const errors = reason === undefined ? undefined : [{ message, domain: 'global', reason }]
  return { status, value: { error: { code: status, message, ...(errors && { errors }) } } }
}

function jobResource({ id, request, plan, end }: FakeJob): object {
  const isFailed = end !== null && end !== 'done'
  const result = end === 'failed' ? plan.failure : STOPPED.cancelled
  return {
    kind: 'bigquery#job',
    jobReference: { projectId: PROJECT, jobId: id, location: LOCATION },
    configuration: request.configuration,
    status: { state: end === null ? 'RUNNING' : 'DONE', ...(isFailed && { errorResult: result }) },
    statistics: { query: { totalBytesBilled: String(plan.bytesBilled ?? 0) } },
  }
}

/** `/projects/p/queries/<id>`, `/projects/p/jobs/<id>`, `/projects/p/jobs/<id>/cancel` */
const idOf = (path: string): string => decodeURIComponent(path.split('/')[4] ?? '')

const elapse = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Null when the caller has gone before it was whole. */
async function bodyOf(request: IncomingMessage): Promise<Body | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : (JSON.parse(text) as Body)
}
