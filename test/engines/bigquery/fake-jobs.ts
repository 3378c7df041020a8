/** The jobs of the fake BigQuery: which were started, which run, and how each ended. */
import type { SchemaField } from '../../../googlesql/index.js'
import type { RestErrorProto } from '../../../runner/engines/bigquery/rest-messages.js'
import type { RestRow } from './rest-answers.js'

/** How the fake answers a query; each member has a default. */
export interface JobPlan {
  readonly fields?: readonly SchemaField[]
  readonly rows?: readonly RestRow[]
  /** The most rows in one answer, where that is fewer than the request asks for. */
  readonly pageRows?: number
  /** The total number of rows that the answer reports, where it is not the real one; null: the answer does not report it. */
  readonly totalRows?: number | null
  /** The number of answers that report the job as running; Infinity: it never ends by itself. */
  readonly answersBefore?: number
  /** How long such an answer is delayed, in milliseconds, where the request allows a delay. */
  readonly holdMs?: number
  readonly failure?: RestErrorProto & { readonly status: number }
  readonly bytesProcessed?: number
  /** The number of tables that a dry run reports for the query. */
  readonly tables?: number
  /** The bytes billed; null: the answer does not report them. */
  readonly bytesBilled?: number | null
  readonly cacheHit?: boolean
  /** Errors in the answer beside a result, which are warnings. */
  readonly warnings?: readonly RestErrorProto[]
}

export type JobEnd = 'done' | 'failed' | 'cancelled' | 'timed out'

export interface FakeJob {
  readonly id: string
  readonly sql: string
  /** The body of the request that started the job. */
  readonly request: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly plan: JobPlan
  readonly endsAt: number
  answersLeft: number
  /** How the job ended; null while it runs. */
  end: JobEnd | null
}

export interface FakeJobs {
  readonly all: readonly FakeJob[]
  /** The job with this id, or a new job. */
  readonly start: (id: string, job: Omit<FakeJob, 'id' | 'end' | 'answersLeft'>) => FakeJob
  readonly byId: (id: string) => FakeJob | undefined
  /** Ends the job if it has reached its timeout. */
  readonly expire: (job: FakeJob) => void
  /** Called for each answer about the job: how it has ended, or null if this answer reports it as running. */
  readonly settle: (job: FakeJob) => JobEnd | null
  readonly cancel: (job: FakeJob) => void
  /** The jobs that are running now. */
  readonly running: () => readonly FakeJob[]
}

export function fakeJobs(nowMs: () => number): FakeJobs {
  const all: FakeJob[] = []
  const ids = new Map<string, FakeJob>()
  const expire = (job: FakeJob): void => {
    if (job.end === null && nowMs() >= job.endsAt) job.end = 'timed out'
  }
  return {
    all,
    start(id, given) {
      const known = ids.get(id)
      if (known) return known
      const { answersBefore: answersLeft = 0 } = given.plan
      const job: FakeJob = { ...given, id, answersLeft, end: null }
      all.push(job)
      ids.set(id, job)
      return job
    },
    byId: id => ids.get(id),
    expire,
    settle(job) {
      expire(job)
      if (job.end === null && job.answersLeft <= 0) job.end = job.plan.failure ? 'failed' : 'done'
      job.answersLeft -= 1
      return job.end
    },
    cancel(job) {
      expire(job)
      job.end ??= 'cancelled'
    },
    running() {
      for (const job of all) expire(job)
      return all.filter(job => job.end === null)
    },
  }
}
