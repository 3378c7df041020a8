/** The parts of BigQuery's REST messages that are used here, in the words of its reference (REST v2). */
import type { JobMetadata } from '@google-cloud/bigquery'
import type { SchemaField } from '../../../googlesql/index.js'

export interface RestSchema {
  readonly fields?: readonly SchemaField[]
}

export interface RestJobReference {
  readonly projectId: string
  readonly jobId: string
  /** Absent where it is not known; then only jobs in the multi-regions US and EU are found. */
  readonly location?: string
}

export type RestErrorProto = NonNullable<NonNullable<JobMetadata['status']>['errorResult']>

/** A request of `jobs.insert`. */
export interface JobRequest {
  readonly location?: string
  readonly configuration: NonNullable<JobMetadata['configuration']>
}

/** The answer of `jobs.insert` and `jobs.get`, and the member `job` in that of `jobs.cancel`. Numbers of 64 bits are strings. */
export type RestJob = Pick<JobMetadata, 'jobReference' | 'status' | 'statistics'>

/** The answer of `jobs.getQueryResults`. */
export interface RestResults {
  readonly jobComplete?: boolean
  readonly schema?: RestSchema
  /** The rows in parts: `parseAnswer` says what each part is. */
  readonly rows?: Iterable<unknown>
  readonly totalRows?: string
  readonly pageToken?: string
  readonly totalBytesProcessed?: string
  readonly cacheHit?: boolean
  readonly errors?: readonly RestErrorProto[]
}
