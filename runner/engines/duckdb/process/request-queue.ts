/**
 * The requests to the engine: requests that wait, requests that the child is working on, and requests that are retried after a
 * child has died.
 */
import { RunnerError } from '../../../model/errors.js'
import { joinInTurns } from '../../../model/in-turns.js'
import type { Clock } from '../../../model/ports.js'
import { FairQueue, type Share } from './fair-queue.js'
import type { Answers, Failure, Request, ToChild } from './messages.js'

export interface AskOptions {
  /** When it fires, the running or waiting work is stopped, and the promise rejects with an `interrupted` failure. */
  readonly signal?: AbortSignal
  /** Whose request it is, so that no caller and no endpoint can use all connections. @default requests without one share a share */
  readonly share?: Share
}

export type Ask = <K extends Request['kind']>(
  request: Extract<Request, { kind: K }>,
  options?: AskOptions,
) => Promise<Answers[K]>

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}

/** The reason why the child has exited or could not start, for the log. */
export class EngineDiedError extends Error {
  override readonly name = 'EngineDiedError'
}

export interface Work {
  /** Sends a request. @throws RequestFailure, with `disruptive` for a query that has ended the child. */
  readonly ask: Ask
  /** Sets whether the child accepts requests. */
  readonly setReady: (isReady: boolean) => void
  /** Stores a part of the body of a request's answer. */
  readonly addPart: (id: number, bytes: Uint8Array) => void
  /** Settles a request with the child's outcome. */
  readonly settle: (id: number, outcome: Outcome) => void
  /**
   * Must be called when the child has exited. Its requests wait for the next child. Unless `isBlameless` is true, one of its
   * queries may be the cause of the exit. @returns whether the child had requests.
   */
  readonly loseChild: (reason: string, isBlameless: boolean) => boolean
  /** Fails all waiting requests. */
  readonly refuse: (reason: string) => void
}

export interface WorkOptions {
  readonly connections: number
  readonly clock: Clock
  readonly post: (message: ToChild) => void
  /** Called when a request does not stop after it was cancelled. */
  readonly onStuck: () => void
  /** Called with a request that was cancelled and did not stop, or has perhaps ended the child. */
  readonly onDisruptive: (request: Request) => void
}

type Outcome = { readonly answer: Answers[keyof Answers] } | { readonly failure: Failure }

interface Job {
  readonly id: number
  readonly request: Request
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  /** The share that it counts for in the fair queue; null for a request that needs no connection. */
  share: Share | null
  /** For a request without a share: the number of children that died while they had it. */
  deaths: number
  /** The parts of the answer's body that were received so far. */
  parts: Uint8Array[]
}

/**
 * How long a query may run after it was cancelled, in milliseconds; after that, the child is killed. DuckDB's planner and this
 * project's scalar functions cannot be interrupted.
 */
const STOP_WITHIN_MS = 2_000
/** The number of a caller's connections that one endpoint must leave to the caller's others. */
const LEFT_TO_ENDPOINTS = 1
export const NO_SHARE: Share = { caller: '', endpoint: '' }
/** A request that is not a query fails when this number of children have died while they had it. */
const MOST_DEATHS = 2
/**
 * The share of suspects: queries that a child had when it died. They run one after another, so that the query that caused the
 * death is known when it does so again.
 */
const SUSPECTS: Share = { caller: '~suspects', endpoint: '' }
/** A suspect that has run this long without harm no longer delays the next suspect. */
const HARMLESS_AFTER_MS = 300

export function createWork({ connections, clock, post, onStuck, onDisruptive }: WorkOptions): Work {
  // With more, a query of another caller would get so small a part of the processors that it takes many times as long.
  const mostOfCaller = Math.ceil(connections / 2)
  /** The number of suspects that may run at once. */
  let suspects = 1
  const mostOf = (caller: string): number =>
    caller === SUSPECTS.caller ? Math.min(suspects, mostOfCaller) : mostOfCaller
  const queue = new FairQueue<Job>({
    most: connections,
    mostOf,
    mostOfEndpoint: caller =>
      caller === SUSPECTS.caller ? mostOf(caller) : Math.max(1, mostOfCaller - LEFT_TO_ENDPOINTS),
  })
  /** Requests that need no connection and wait for the child to be ready. */
  const unsent = new Set<Job>()
  const running = new Map<number, Job>()
  /** Requests that were cancelled and have not stopped yet; their connections are not free. */
  const stopping = new Map<number, { readonly job: Job; readonly cancelTimer: () => void }>()
  let nextId = 1
  let isReady = false

  const sendAll = (): void => {
    if (!isReady) return
    const send = (job: Job): void => {
      running.set(job.id, job)
      post({ kind: 'request', id: job.id, request: job.request })
      if (job.share === SUSPECTS) clock.after(HARMLESS_AFTER_MS, () => admitSuspect(job))
    }
    for (const job of unsent) send(job)
    unsent.clear()
    for (let job = queue.take(); job; job = queue.take()) send(job)
  }

  const admitSuspect = (harmless: Job): void => {
    if (!running.has(harmless.id)) return
    suspects++
    sendAll()
  }

  const wait = (job: Job, at: 'end' | 'head'): void => {
    if (job.share === null) unsent.add(job)
    else queue.add(job.share, job, at)
  }

  const stop = (job: Job): void => {
    const wasRunning = running.delete(job.id)
    if (job.share === null) {
      // The request uses no connection, so the child need not be killed if the request does not stop.
      unsent.delete(job)
    } else if (wasRunning) {
      post({ kind: 'cancel', id: job.id })
      const end = (): void => {
        onDisruptive(job.request)
        onStuck()
      }
      stopping.set(job.id, { job, cancelTimer: clock.after(STOP_WITHIN_MS, end) })
    } else {
      queue.remove(job)
    }
    job.reject(new RequestFailure({ kind: 'interrupted' }))
  }

  /**
   * The queries that have probably ended the child: suspects, or the only one. A query whose caller has left is not run again, so
   * it cannot be tried alone. The others are not to blame.
   */
  const culpritsOf = (jobs: readonly Job[]): ReadonlySet<Job> => {
    const queries = jobs.filter(({ share }) => share !== null)
    const suspected = queries.filter(({ share }) => share === SUSPECTS)
    if (suspected.length > 0) return new Set(suspected)
    return new Set(queries.length === 1 ? queries : queries.filter(({ id }) => stopping.has(id)))
  }

  const tryAgain = (job: Job, isSuspect: boolean, reason: string): void => {
    job.parts = []
    if (job.share !== null && isSuspect) job.share = SUSPECTS
    if (job.share === null && ++job.deaths >= MOST_DEATHS) job.reject(unavailable(reason))
    else wait(job, isSuspect ? 'end' : 'head')
  }

  return {
    ask: (request, { signal, share = NO_SHARE } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(new RequestFailure({ kind: 'interrupted' }))
        const onAbort = (): void => stop(job)
        const unlistening =
          <T>(settle: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener('abort', onAbort)
            settle(value)
          }
        const job: Job = {
          id: nextId++,
          request,
          resolve: unlistening(resolve),
          reject: unlistening(reject),
          share: request.kind === 'ping' || request.kind === 'discover' ? null : share,
          deaths: 0,
          parts: [],
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        wait(job, 'end')
        sendAll()
      }),
    setReady: now => {
      isReady = now
      sendAll()
    },
    addPart: (id, bytes) => {
      running.get(id)?.parts.push(bytes)
    },
    settle: (id, outcome) => {
      const job = running.get(id)
      const stopped = stopping.get(id)
      running.delete(id)
      stopping.delete(id)
      stopped?.cancelTimer()
      const share = (job ?? stopped?.job)?.share ?? null
      if (share !== null) queue.release(share)
      sendAll()
      if (stopped && 'failure' in outcome && outcome.failure.kind === 'disruptive') onDisruptive(stopped.job.request)
      if ('answer' in outcome) job?.resolve(withParts(outcome.answer, job.parts) as never)
      else job?.reject(new RequestFailure(outcome.failure))
    },
    loseChild: (reason, isBlameless) => {
      const jobs = [...running.values(), ...[...stopping.values()].map(({ job }) => job)]
      const culprits = isBlameless ? new Set<Job>() : culpritsOf(jobs)
      const hasCulprit = [...culprits].some(({ share }) => share === SUSPECTS)
      const lost = [...running.values()]
      for (const { cancelTimer, job } of stopping.values()) {
        cancelTimer()
        if (culprits.has(job)) onDisruptive(job.request)
      }
      running.clear()
      stopping.clear()
      queue.releaseAll()
      suspects = 1
      // In reverse order: the request that was sent last is the least likely cause of the exit, since the child may not even have
      // received it.
      for (const job of lost.reverse()) {
        if (culprits.has(job)) job.reject(new RequestFailure({ kind: 'disruptive', cause: reason }))
        else tryAgain(job, !isBlameless && !hasCulprit, reason)
      }
      return jobs.length > 0
    },
    refuse: reason => {
      for (const job of [...unsent, ...queue.clear()]) job.reject(unavailable(reason))
      unsent.clear()
    },
  }
}

type Answer = Answers[keyof Answers]

function withParts(answer: Answer, parts: readonly Uint8Array[]): Answer | Promise<Answer> {
  if (parts.length === 0 || typeof answer !== 'object' || answer === null || !('body' in answer)) return answer
  return joinInTurns([...parts, answer.body]).then(body => ({ ...answer, body }))
}

export const unavailable = (reason: string): RunnerError =>
  new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError(reason) })
