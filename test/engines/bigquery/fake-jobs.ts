/** The account of jobs that the fake BigQuery keeps: what was started, what runs, how it ended. */
import type { RestErrorProto, RestField, RestRow } from '../../../runner/engines/bigquery/rest/messages.js'

/** What becomes of a query; each member has a default. */
export interface JobPlan {
  readonly fields?: readonly RestField[]
  readonly rows?: readonly RestRow[]
  /** Rows of an answer, where they are fewer than it asks for. */
  readonly pageRows?: number
  /** What the answer says there are, where that is not so. */
  readonly totalRows?: number
  /** So many answers tell that the job is running, the start's among them; Infinity: it never ends by itself. */
  readonly answersBefore?: number
  /** How long such an answer is held back, in milliseconds, where it asks for that. */
  readonly holdMs?: number
  readonly failure?: RestErrorProto & { readonly status: number }
  readonly bytesProcessed?: number
  /** How many a dry run says that the query names. */
  readonly tables?: number
  /** Null: the answer does not tell. */
  readonly bytesBilled?: number | null
  readonly cacheHit?: boolean
  /** Errors beside a result: warnings. */
  readonly warnings?: readonly RestErrorProto[]
}

export type JobEnd = 'done' | 'failed' | 'cancelled' | 'timed out'

export interface FakeJob {
  readonly id: string
  readonly sql: string
  /** The body that started it. */
  readonly request: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly plan: JobPlan
  readonly createdMs: number
  readonly endsAt: number
  answersLeft: number
  /** Null while it runs. */
  end: JobEnd | null
}

export interface FakeJobs {
  readonly all: readonly FakeJob[]
  /** The job of this key, or a new one; the key is a request id or a job id. */
  readonly start: (key: string, job: Omit<FakeJob, 'id' | 'end' | 'answersLeft' | 'createdMs'>, id?: string) => FakeJob
  readonly byKey: (key: string) => FakeJob | undefined
  readonly byId: (id: string) => FakeJob | undefined
  /** Ends it where its time is up. */
  readonly expire: (job: FakeJob) => void
  /** One answer is about to tell of it: has it ended by now? */
  readonly settle: (job: FakeJob) => JobEnd | null
  readonly cancel: (job: FakeJob) => void
  /** Those that run at this moment. */
  readonly running: () => readonly FakeJob[]
}

export function fakeJobs(nowMs: () => number): FakeJobs {
  const all: FakeJob[] = []
  const keys = new Map<string, FakeJob>()
  const ids = new Map<string, FakeJob>()
  const expire = (job: FakeJob): void => {
    if (job.end === null && nowMs() >= job.endsAt) job.end = 'timed out'
  }
  return {
    all,
    start(key, given, id = `job_${all.length + 1}`) {
      const known = keys.get(key)
      if (known) return known
      const { answersBefore: answersLeft = 0 } = given.plan
      const job: FakeJob = { ...given, id, createdMs: nowMs(), answersLeft, end: null }
      all.push(job)
      keys.set(key, job)
      ids.set(id, job)
      return job
    },
    byKey: key => keys.get(key),
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
