/** Asks BigQuery what a query would do, without running it. */

import { deadlineSignal } from '../../../model/deadline.js'
import type { CheckResult } from '../../../model/ports.js'
import type { Query } from '../../../model/query.js'
import { QueryFault } from '../../../model/query-fault.js'
import { namedColumns } from '../decode/encode-result.js'
import { resultColumns } from '../decode/result-columns.js'
import { BigQueryFailure } from '../failure.js'
import type { RestDeps } from '../rest.js'
import type { JobRequest, RestJob, RestSchema } from '../rest-messages.js'
import { runnerErrorOf, sqlProblemOf } from '../runner-error.js'

const CHECK_WITHIN_MS = 30_000
/** The reasons of failures that the author of the query can correct. `accessDenied` is mostly about a table that the query names. */
const SQL_REASONS: ReadonlySet<string> = new Set(['accessDenied', 'invalidQuery', 'notFound', 'invalid'])

/** BigQuery's list of the tables that a query reads may end after this many. */
const MAX_LISTED = 50

/** Checks the query by a dry run. @throws RunnerError for a failure that is not a mistake in the query. */
export async function checkQuery(query: Query, request: JobRequest, deps: RestDeps): Promise<CheckResult> {
  try {
    const { schema = {}, totalBytesProcessed = '0', referencedTables = [] } = await dryRun(query, request, deps)
    const reads = { bytes: Number(totalBytesProcessed), tables: referencedTables.length }
    return { ok: true, columns: namedColumns(resultColumns(schema as RestSchema)), reads }
  } catch (error) {
    if (error instanceof QueryFault) return { ok: false, problem: { line: 1, column: 1, message: error.message } }
    if (!(error instanceof BigQueryFailure)) throw error
    return { ok: false, problem: sqlProblemOf(error) }
  }
}

/**
 * The full names of the tables that the query reads, also those behind views.
 * @throws QueryFault where BigQuery may not have listed all of them; what `dryRun` throws.
 */
export async function readTables(query: Query, request: JobRequest, deps: RestDeps): Promise<readonly string[]> {
  const { referencedTables = [] } = await dryRun(query, request, deps)
  if (referencedTables.length >= MAX_LISTED) throw new QueryFault('the query reads more tables than BigQuery lists')
  return referencedTables.map(({ projectId, datasetId, tableId }) => [projectId, datasetId, tableId].join('.'))
}

/**
 * The statistics of the query's dry run, which costs nothing and reads no rows.
 * @throws BigQueryFailure for a mistake in the query; RunnerError for any other failure.
 */
async function dryRun(query: Query, request: JobRequest, deps: RestDeps) {
  const { rest, project, clock, onRetry } = deps
  const watch = deadlineSignal([deps.signal], CHECK_WITHIN_MS, clock)
  const { signal } = watch
  const { location, configuration } = request
  const body = {
    configuration: { dryRun: true, ...configuration },
    ...(location !== undefined && { jobReference: { projectId: project, location } }),
  }
  const limits = { until: clock.nowMs() + CHECK_WITHIN_MS, attemptMs: CHECK_WITHIN_MS, onRetry, signal }
  try {
    const call = { method: 'POST', path: `projects/${encodeURIComponent(project)}/jobs`, body } as const
    const { statistics } = (await rest.send(call, limits)) as RestJob
    return statistics?.query ?? {}
  } catch (error) {
    if (error instanceof BigQueryFailure && SQL_REASONS.has(error.reason)) throw error
    throw runnerErrorOf(error, query, signal)
  } finally {
    watch.end()
  }
}
