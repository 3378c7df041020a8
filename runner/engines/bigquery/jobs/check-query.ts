/** Asks BigQuery what a query would do, without running it. */
import type { CheckResult, Clock } from '../../../model/ports.js'
import type { Query } from '../../../model/query.js'
import type { ClientWithin } from '../client.js'
import { namedColumns } from '../decode/encode-result.js'
import { resultColumns, UnsupportedTypeError } from '../decode/result-columns.js'
import { BigQueryFailure } from '../rest/failure.js'
import type { RestJob } from '../rest/messages.js'
import type { SendLimits } from '../rest/retry.js'
import { runnerErrorOf, sqlProblemOf } from '../runner-error.js'
import { deadlineSignal } from './deadline.js'
import { type JobRequest, jobConfiguration } from './job-start.js'

export interface CheckDeps {
  readonly client: ClientWithin
  readonly clock: Clock
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
}

const CHECK_WITHIN_MS = 30_000
/** Failures that the author of the query can correct; access is mostly denied to a table. */
const SQL_REASONS: ReadonlySet<string> = new Set(['accessDenied', 'invalidQuery', 'notFound', 'invalid'])

/** A dry run, which costs nothing and reads no rows. @throws RunnerError for a failure that is not a mistake in the query. */
export async function checkQuery(query: Query, request: JobRequest, deps: CheckDeps): Promise<CheckResult> {
  const { client, clock, onRetry } = deps
  const watch = deadlineSignal([deps.signal], CHECK_WITHIN_MS, clock)
  const { signal } = watch
  const { location } = request
  const configuration = { dryRun: true, ...jobConfiguration(request) }
  const limits = { until: clock.nowMs() + CHECK_WITHIN_MS, attemptMs: CHECK_WITHIN_MS, onRetry, signal }
  try {
    const [job] = await client(limits).createJob({ configuration, ...(location !== undefined && { location }) })
    const { statistics } = job.metadata as RestJob
    const { schema = {}, totalBytesProcessed = '0', referencedTables = [] } = statistics?.query ?? {}
    const reads = { bytes: Number(totalBytesProcessed), tables: referencedTables.length }
    return { ok: true, columns: namedColumns(resultColumns(schema)), reads }
  } catch (error) {
    if (error instanceof BigQueryFailure && SQL_REASONS.has(error.reason)) {
      return { ok: false, problem: sqlProblemOf(error) }
    }
    if (error instanceof UnsupportedTypeError)
      return { ok: false, problem: { line: 1, column: 1, message: error.message } }
    throw runnerErrorOf(error, query, signal)
  } finally {
    watch.end()
  }
}
