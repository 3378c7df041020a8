/** The messages of the fake BigQuery: the members that it accepts, and its answers other than results. */
import http, { type IncomingMessage } from 'node:http'
import type { FakeJob } from './fake-jobs.js'

/** The only project of the fake, and the location in which its jobs run. */
export const PROJECT = 'p'
export const LOCATION = 'EU'

/** The parsed body of a message. */
export type Body = Readonly<Record<string, unknown>>

/** The members that the reference lists for the messages used here: any other member is refused, as Google does. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set('jobReference configuration'.split(' ')),
  jobReference: new Set('projectId jobId location'.split(' ')),
  configuration: new Set('dryRun jobTimeoutMs labels reservation query'.split(' ')),
  'configuration.query': new Set(
    'query useLegacySql parameterMode queryParameters defaultDataset maximumBytesBilled priority'.split(' '),
  ),
}

/** The refusal of a message with a member that the reference does not list; null for a correct message. */
export function unknownName(body: Body): Answered | null {
  const configuration = (body.configuration ?? {}) as Body
  const parts = {
    '': body,
    jobReference: (body.jobReference ?? {}) as Body,
    configuration,
    'configuration.query': (configuration.query ?? {}) as Body,
  }
  for (const [place, part] of Object.entries(parts)) {
    const name = Object.keys(part).find(key => !MEMBERS[place]!.has(key))
    if (name === undefined) continue
    const message = `Invalid JSON payload received. Unknown name "${name}" at '${place}': Cannot find field.`
    return errorAnswer({ status: 400, reason: 'badRequest', message })
  }
  return null
}

/** An answer; `holdMs` is its delay in milliseconds. */
export interface Answered {
  readonly status: number
  readonly value: unknown
  readonly holdMs?: number
}

/** The errors reported for a job that was stopped. */
export const STOPPED = {
  cancelled: { status: 499, reason: 'stopped', message: 'Job execution was cancelled: User requested cancellation' },
  'timed out': { status: 499, reason: 'stopped', message: 'Job execution was cancelled: Job timed out after 1 sec' },
} as const

/** An answer in the form of BigQuery's errors. */
export function errorAnswer(fault: {
  readonly status: number
  readonly reason?: string
  readonly message?: string
}): Answered {
  const { status, reason, message = http.STATUS_CODES[status] ?? '' } = fault
  const errors = reason === undefined ? undefined : [{ message, domain: 'global', reason }]
  return { status, value: { error: { code: status, message, ...(errors && { errors }) } } }
}

/** A job in the form of jobs.get and jobs.insert. */
export function jobResource({ id, labels, plan, end }: FakeJob): object {
  const isFailed = end !== null && end !== 'done'
  const result = end === 'failed' ? plan.failure : STOPPED.cancelled
  return {
    kind: 'bigquery#job',
    jobReference: { projectId: PROJECT, jobId: id, location: LOCATION },
    configuration: { labels },
    status: { state: end === null ? 'RUNNING' : 'DONE', ...(isFailed && { errorResult: result }) },
    statistics: { query: plan.bytesBilled === null ? {} : { totalBytesBilled: String(plan.bytesBilled ?? 0) } },
  }
}

/** The parsed body; null when the caller closed the connection before it was complete. */
export async function bodyOf(request: IncomingMessage): Promise<Body | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : (JSON.parse(text) as Body)
}
