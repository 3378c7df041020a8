/** The requests to a child of the engine: those that wait, those that it is working on, and those that are being stopped. */
import { RunnerError } from '../../../model/errors.js'
import { FairQueue, type Share } from '../../../model/fair-queue.js'
import { joinInTurns } from '../../../model/in-turns.js'
import type { Clock } from '../../../model/ports.js'
import { type Answer, type Answers, type Failure, needsConnection, type Request, type ToChild } from './messages.js'

export interface AskOptions {
  /** When it fires, the running or waiting work is stopped, and the promise rejects with an `interrupted` failure. */
  readonly signal?: AbortSignal
  /** The caller and the endpoint of the request: neither may use all connections. @default one caller for all requests without a share */
  readonly share?: Share
  /** For an export: takes its parts one by one. Where it rejects, the request is stopped. */
  readonly onPart?: (bytes: Uint8Array) => Promise<void>
}

export type Ask = <K extends Request['kind']>(
  request: Extract<Request, { kind: K }>,
  options?: AskOptions,
) => Promise<Answers[K]>

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly failure: Failure
  /** Whether rows of an export have been passed on: then the query is not run again. */
  readonly isBegun: boolean
  constructor(failure: Failure, isBegun = false) {
    super(failure.kind)
    this.failure = failure
    this.isBegun = isBegun
  }
}

/** The reason why the child has exited or could not start, for the log. */
export class EngineDiedError extends Error {
  override readonly name = 'EngineDiedError'
}

export interface RequestQueueOptions {
  readonly connections: number
  readonly clock: Clock
  readonly post: (message: ToChild) => void
  /** Called when a request does not stop after it was cancelled. */
  readonly onStuck: () => void
  /** Called with a cancelled request that did not stop in time, or that the child was still stopping when it died. */
  readonly onDisruptive: (request: Request) => void
  /** Whether a request must not be sent to this child: it then fails as disruptive. @default all requests are sent */
  readonly runsApart?: (request: Request) => boolean
}

type Outcome = { readonly answer: Answer } | { readonly failure: Failure }

interface Job {
  readonly id: number
  readonly request: Request
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  /** The share in the fair queue; null for a request that needs no connection. */
  readonly share: Share | null
  /** For a request without a share: the number of children that died while they had it. */
  deaths: number
  /** The parts of the answer's body that were received so far. */
  parts: Uint8Array[]
  readonly onPart: AskOptions['onPart']
  /** Whether a part has been passed on: then the request cannot begin again. */
  isBegun: boolean
  /** Set when the request is cancelled while the child works on it: the connection is free only when the work has stopped. */
  cancelTimer: (() => void) | null
}

/**
 * How long a query may run after it was cancelled, in milliseconds; after that, the child is killed. DuckDB's planner and this
 * project's scalar functions cannot be interrupted.
 */
const STOP_WITHIN_MS = 2_000
/** The number of a caller's connections that one endpoint must leave to the caller's other endpoints. */
const LEFT_TO_ENDPOINTS = 1
export const NO_SHARE: Share = { caller: '', endpoint: '' }
/** A request that is not a query fails when this number of children have died while they had it. */
const MOST_DEATHS = 2

export class RequestQueue {
  readonly #options: RequestQueueOptions
  readonly #queue: FairQueue<Job>
  /** Requests that need no connection and wait for the child to be ready. */
  readonly #unsent = new Set<Job>()
  readonly #running = new Map<number, Job>()
  #nextId = 1
  #isReady = false

  constructor(options: RequestQueueOptions) {
    const { connections } = options
    // If a caller could use more connections, the queries of other callers would get too small a share of the processors.
    const maxOfCaller = Math.ceil(connections / 2)
    const maxOfEndpoint = Math.max(1, maxOfCaller - LEFT_TO_ENDPOINTS)
    this.#options = options
    this.#queue = new FairQueue<Job>({ maxRunning: connections, maxOfCaller, maxOfEndpoint })
  }

  /** Sends a request. @throws RequestFailure, with `disruptive` for a query that the child was working on when it died. */
  readonly ask: Ask = async (request, { signal, share = NO_SHARE, onPart } = {}) => {
    if (signal?.aborted) throw new RequestFailure({ kind: 'interrupted' })
    let onAbort = (): void => undefined
    const answer = new Promise<never>((resolve, reject) => {
      const initial = { deaths: 0, parts: [], onPart, isBegun: false, cancelTimer: null }
      const job: Job = {
        id: this.#nextId++,
        request,
        resolve,
        reject,
        ...initial,
        share: needsConnection(request) ? share : null,
      }
      onAbort = () => this.#stop(job)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#enqueue(job)
      this.#sendAll()
    })
    return answer.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  /** Sets whether the child accepts requests. */
  setReady(isReady: boolean): void {
    this.#isReady = isReady
    this.#sendAll()
  }

  /** Stores a part of the body of a request's answer, or passes it on. */
  addPart(id: number, bytes: Uint8Array): void {
    const job = this.#running.get(id)
    if (!job?.onPart) return void job?.parts.push(bytes)
    if (job.cancelTimer !== null) return
    job.isBegun = true
    const acknowledge = (): void => {
      if (this.#running.get(id) === job && job.cancelTimer === null) this.#options.post({ kind: 'taken', id })
    }
    job.onPart(bytes).then(acknowledge, () => this.#stop(job))
  }

  /** Settles a request with the child's outcome. */
  settle(id: number, outcome: Outcome): void {
    const job = this.#running.get(id)
    if (!job) return
    this.#running.delete(id)
    job.cancelTimer?.()
    if (job.share !== null) this.#queue.release(job.share)
    this.#sendAll()
    const isDisruptive = 'failure' in outcome && outcome.failure.kind === 'disruptive'
    if (job.cancelTimer && isDisruptive) this.#options.onDisruptive(job.request)
    if ('answer' in outcome) job.resolve(withParts(outcome.answer, job.parts) as never)
    else job.reject(new RequestFailure(outcome.failure, job.isBegun))
  }

  /**
   * Must be called when the child has exited or is replaced. If `isBlameless` is true, no query was the cause: its requests wait for the
   * next child. Otherwise one of its queries may be the cause, and each of them fails as disruptive. @returns whether it had requests
   */
  loseChild(reason: string, isBlameless: boolean): boolean {
    const lostJobs = [...this.#running.values()]
    this.#running.clear()
    this.#queue.releaseAll()
    for (const job of lostJobs) this.#lose(job, reason, isBlameless)
    return lostJobs.length > 0
  }

  /** Fails all waiting requests. */
  refuse(reason: string): void {
    for (const job of [...this.#unsent, ...this.#queue.clear()]) job.reject(unavailable(reason))
    this.#unsent.clear()
  }

  #sendAll(): void {
    if (!this.#isReady) return
    for (const job of this.#unsent) this.#send(job)
    this.#unsent.clear()
    for (let job = this.#queue.take(); job; job = this.#queue.take()) {
      // The query may have been found disruptive while this request waited.
      if (!this.#options.runsApart?.(job.request)) this.#send(job)
      else {
        this.#queue.release(job.share!)
        job.reject(new RequestFailure({ kind: 'disruptive', cause: 'it runs apart', how: 'waited' }))
      }
    }
  }

  #send(job: Job): void {
    this.#running.set(job.id, job)
    this.#options.post({ kind: 'request', id: job.id, request: job.request })
  }

  #enqueue(job: Job): void {
    if (job.share === null) {
      this.#unsent.add(job)
      return
    }
    this.#queue.add(job.share, job)
    if (job.share.waiters) job.share.waiters.onJoin = () => this.#sendAll()
  }

  #stop(job: Job): void {
    if (job.cancelTimer !== null) return
    const { post, clock, onDisruptive, onStuck } = this.#options
    if (job.share === null) {
      // The request uses no connection, so the child need not be killed if the request does not stop.
      this.#running.delete(job.id)
      this.#unsent.delete(job)
    } else if (this.#running.has(job.id)) {
      job.parts = []
      post({ kind: 'cancel', id: job.id })
      const giveUp = (): void => {
        onDisruptive(job.request)
        onStuck()
      }
      job.cancelTimer = clock.after(STOP_WITHIN_MS, giveUp)
    } else {
      this.#queue.remove(job)
    }
    job.reject(new RequestFailure({ kind: 'interrupted' }))
  }

  /** Decides what happens to a request whose child is gone. */
  #lose(job: Job, reason: string, isBlameless: boolean): void {
    job.parts = []
    job.cancelTimer?.()
    if (job.cancelTimer !== null) {
      // The caller has left, so no second run can show whether the query was the cause: it counts as disruptive.
      if (!isBlameless) this.#options.onDisruptive(job.request)
    } else if (job.share !== null && (!isBlameless || job.isBegun)) {
      job.reject(new RequestFailure({ kind: 'disruptive', cause: reason, how: 'died' }))
    } else if (job.share === null && ++job.deaths >= MOST_DEATHS) {
      job.reject(unavailable(reason))
    } else {
      this.#enqueue(job)
    }
  }
}

function withParts(answer: Answer, parts: readonly Uint8Array[]): Answer | Promise<Answer> {
  if (parts.length === 0 || typeof answer !== 'object' || answer === null || !('body' in answer)) return answer
  return joinInTurns([...parts, answer.body]).then(body => ({ ...answer, body }))
}

export const unavailable = (reason: string): RunnerError =>
  new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError(reason) })
