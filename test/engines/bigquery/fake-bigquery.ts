/** A fake of BigQuery's REST interface as the reference documents it, over HTTP; it records jobs and can inject faults. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type FakeJob, type FakeJobs, fakeJobs, type JobPlan } from './fake-jobs.js'
import {
  type Answered,
  type Body,
  bodyOf,
  errorAnswer,
  jobResource,
  LOCATION,
  PROJECT,
  STOPPED,
  unknownName,
} from './fake-messages.js'

export type RequestKind = 'insert' | 'dry-run' | 'poll' | 'page' | 'cancel' | 'get'

export interface Exchange {
  readonly kind: RequestKind
  /** The SQL of the query that the request is about; '' where that is not known. */
  readonly sql: string
  /** Counts the requests of this kind about this query, from 1. */
  readonly nth: number
  readonly headers: http.IncomingHttpHeaders
  readonly query: string
  /** The parsed body; `{}` for a GET. */
  readonly body: Body
}

/** The fault that is injected into an exchange. */
export type Fault =
  /** The answer is an error. With `isDone`, the request has taken effect all the same. */
  | {
      readonly status: number
      readonly reason?: string
      readonly message?: string
      readonly retryAfter?: number
      readonly isDone?: boolean
    }
  /**
   * The request takes effect; the connection ends after this many bytes of the answer, headers included (Infinity: after
   * all).
   */
  | { readonly cutAt: number }
  /** The connection ends before the request has taken effect. */
  | { readonly drop: true }
  /** The request takes effect and is never answered. */
  | { readonly hang: true }
  /** The answer is a success with this body. */
  | { readonly body: string | Buffer }

export interface FakeBigQuery {
  /** The base address: `http://127.0.0.1:1234/bigquery/v2`. */
  readonly url: string
  readonly jobs: FakeJobs
  readonly exchanges: Exchange[]
  /** The number of connections opened so far. */
  readonly connections: () => number
  /** The size in bytes of the longest complete answer to this kind of request, headers included. */
  readonly answerBytes: (kind: RequestKind) => number
  plan: (sql: string) => JobPlan
  fault: (exchange: Exchange) => Fault | undefined
  /** The delay before each answer, in milliseconds. */
  latencyMs: number
  isZipping: boolean
  readonly close: () => Promise<void>
}

const PATH = '/bigquery/v2'
const JOBS = `/projects/${PROJECT}/jobs`

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
    return { kind, sql, nth, headers: request.headers, query: String(asked.query), body: asked.body }
  }

  function kindOf({ method, path, query, body }: Asked): { readonly kind: RequestKind; readonly sql: string } {
    if (method === 'POST' && path === JOBS) {
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
      case 'insert':
        return inserted(body)
      case 'dry-run':
        return dryRun(body)
      default:
    }
    const job = jobs.byId(idOf(path))
    // "Required except for US and EU": reference of jobs.get.
    if (!job || ![LOCATION, null].includes(query.get('location'))) {
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
    const { jobId = '' } = body.jobReference as { readonly jobId?: string }
    const { query, jobTimeoutMs, labels } = body.configuration as Inserted
    if (jobs.byId(jobId)) {
      const message = `Already Exists: Job ${PROJECT}:${LOCATION}.${jobId}`
      return errorAnswer({ status: 409, reason: 'duplicate', message })
    }
    const plan = fake.plan(query.query)
    const job = jobs.start(jobId, {
      sql: query.query,
      request: body,
      labels,
      plan,
      endsAt: nowMs() + Number(jobTimeoutMs),
    })
    return { status: 200, value: jobResource(job) }
  }

  function dryRun(body: Body): Answered {
    const { query } = body.configuration as Inserted
    const { failure, fields = [], bytesProcessed = 0, tables = 1 } = fake.plan(query.query)
    if (failure) return errorAnswer(failure)
    const referencedTables = Array.from({ length: tables }, (_, i) => {
      return { projectId: PROJECT, datasetId: 'd', tableId: `t${i}` }
    })
    const totalBytesProcessed = String(bytesProcessed)
    const statistics = { query: { schema: { fields }, totalBytesProcessed, ...(tables > 0 && { referencedTables }) } }
    return { status: 200, value: { kind: 'bigquery#job', status: { state: 'DONE' }, statistics } }
  }

  /** The answer of `jobs.getQueryResults`. */
  function resultAnswer(job: FakeJob, wish: ResultWish): Answered {
    const { timeoutMs, from = 0 } = wish
    const jobReference = { projectId: PROJECT, jobId: job.id, location: LOCATION }
    const { fields = [], rows = [], bytesProcessed = 0, cacheHit = false, holdMs = 0 } = job.plan
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
        kind: 'bigquery#getQueryResultsResponse',
        schema: { fields },
        jobReference,
        ...(job.plan.totalRows !== null && { totalRows: String(job.plan.totalRows ?? rows.length) }),
        ...(to < rows.length && { pageToken: String(to) }),
        rows: rows.slice(from, to),
        totalBytesProcessed: String(bytesProcessed),
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

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Body
}

type Labels = Readonly<Record<string, string>>

interface Inserted {
  readonly dryRun?: boolean
  readonly labels?: Labels
  readonly jobTimeoutMs?: string
  readonly query: { readonly query: string }
}

interface ResultWish {
  readonly maxResults: unknown
  readonly timeoutMs: number
  readonly from?: number
}

interface Sent {
  readonly status: number
  readonly text: string | Buffer
  readonly retryAfter?: number | undefined
}

/** The job id in `/projects/p/queries/<id>`, `/projects/p/jobs/<id>` and `/projects/p/jobs/<id>/cancel`. */
const idOf = (path: string): string => decodeURIComponent(path.split('/')[4] ?? '')

const elapse = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
