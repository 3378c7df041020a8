/** The parts of BigQuery's REST messages that are used here, in the words of its reference (REST v2). */

/** A column or field of a result or a table. `type` is STRING, INTEGER or INT64, RECORD or STRUCT, and so on. */
export interface RestField {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly RestField[]
  readonly description?: string
  readonly rangeElementType?: { readonly type: string }
}

export interface RestSchema {
  readonly fields?: readonly RestField[]
}

/** `v` is a string, null, `{ f: […] }` for a RECORD, or a list of `{ v }` for a REPEATED field. */
export interface RestCell {
  readonly v: unknown
}

export interface RestRow {
  readonly f: readonly RestCell[]
}

export interface RestParameterType {
  readonly type: string
  readonly arrayType?: RestParameterType
  readonly rangeElementType?: RestParameterType
  readonly structTypes?: readonly { readonly name?: string; readonly type: RestParameterType }[]
}

/** A NULL is a value without any member. */
export interface RestParameterValue {
  readonly value?: string
  readonly arrayValues?: readonly RestParameterValue[]
  readonly rangeValue?: { readonly start: RestParameterValue; readonly end: RestParameterValue }
  readonly structValues?: Readonly<Record<string, RestParameterValue>>
}

export interface RestParameter {
  readonly name: string
  readonly parameterType: RestParameterType
  readonly parameterValue: RestParameterValue
}

export interface RestJobReference {
  readonly projectId: string
  readonly jobId: string
  readonly location?: string
}

export interface RestErrorProto {
  readonly reason?: string
  readonly message?: string
  readonly location?: string
}

/** The body of `POST projects/{p}/queries`. Numbers of 64 bits are strings. */
export interface RestQueryRequest {
  readonly query: string
  readonly useLegacySql: false
  readonly parameterMode: 'NAMED'
  readonly queryParameters: readonly RestParameter[]
  readonly requestId: string
  readonly timeoutMs: number
  readonly jobTimeoutMs?: string
  readonly maxResults?: number
  readonly maximumBytesBilled?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly location?: string
  readonly defaultDataset?: { readonly projectId?: string; readonly datasetId: string }
  readonly formatOptions: { readonly useInt64Timestamp: true }
  readonly reservation?: string
}

/** What `queries` (POST) and `queries/{job}` (GET) answer. */
export interface RestQueryResponse {
  readonly jobComplete?: boolean
  readonly jobReference?: RestJobReference
  readonly queryId?: string
  readonly schema?: RestSchema
  /** Parts of the list, a `RestRow` each: see `parseAnswer`. */
  readonly rows?: Iterable<unknown>
  readonly totalRows?: string
  readonly pageToken?: string
  readonly totalBytesProcessed?: string
  readonly totalBytesBilled?: string
  readonly cacheHit?: boolean
  readonly errors?: readonly RestErrorProto[]
}

/** A job resource: what `jobs` is sent and what it, `jobs/{job}` and, as `job`, `jobs/{job}/cancel` answer. */
export interface RestJob {
  readonly jobReference?: { readonly projectId: string; readonly jobId?: string; readonly location?: string }
  readonly configuration?: {
    readonly dryRun?: boolean
    readonly jobTimeoutMs?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly reservation?: string
    readonly query?: object
  }
  readonly status?: {
    readonly state?: 'PENDING' | 'RUNNING' | 'DONE'
    /** Why the job failed; `errors` beside it may be warnings. */
    readonly errorResult?: RestErrorProto
  }
  readonly statistics?: {
    readonly query?: {
      /** Only of a dry run. */
      readonly schema?: RestSchema
      readonly referencedTables?: readonly object[]
      readonly totalBytesProcessed?: string
      readonly totalBytesBilled?: string
      readonly cacheHit?: boolean
    }
  }
}

/** The body of an error answer. */
export interface RestErrorBody {
  readonly error?: {
    readonly code?: number
    readonly message?: string
    readonly status?: string
    readonly errors?: readonly RestErrorProto[]
  }
}
