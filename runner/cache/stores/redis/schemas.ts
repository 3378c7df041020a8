/** The shape of what replicas may find in Redis, which other programs can write to: entries' heads, and messages. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { RunOutcome, StoredResult } from '../../../model/ports.js'

/** When the log of purges was begun, and the numbers of the last purge of everything, of the endpoint and of its tenant. */
export type PurgeNumbers = readonly number[]

/** The ETag is not stored: it is computed from the body. */
export interface Head extends Omit<StoredResult, 'body' | 'storedAt' | 'etag'> {
  /** Milliseconds since 1970. */
  readonly keepUntil: number
  /** The purge numbers that the writer knew. */
  readonly purges: PurgeNumbers
}

export interface Purged {
  readonly type: 'purged'
  readonly prefix: string
}

export type ReplicaEvent =
  | { readonly type: 'stored'; readonly key: string; readonly storedAt: number }
  | { readonly type: 'ended'; readonly key: string; readonly outcome: RunOutcome }
  | Purged

export interface ReplicaMessage {
  readonly from: string
  readonly event: Exclude<ReplicaEvent, { type: 'purged' }> | (Purged & { readonly number: number })
}

const CACHE_KEY = { type: 'string', maxLength: 1_000 }
const TEXT = { type: 'string', maxLength: 10_000 }
const TIME = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const COUNT = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** An object with exactly these members; those in `optional` may be missing. */
const members = (required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
})

const listOf = (items: object, maxItems: number) => ({ type: 'array', items, maxItems })

/** The bounds of columns and rows are above those of the engines and of manifests. */
const HEAD = members(
  {
    columns: listOf(
      members({ name: { type: 'string', maxLength: 1_000 }, type: { type: 'string', maxLength: 1_000_000 } }),
      10_000,
    ),
    rowCount: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    isTruncated: { type: 'boolean' },
    freshUntil: TIME,
    keepUntil: TIME,
    purges: { ...listOf(COUNT, 4), minItems: 4 },
  },
  { dataState: { type: 'string', maxLength: 100_000 } },
)

const FAILURE = members({
  code: { type: 'string', pattern: '^[A-Z_]{1,50}$' },
  detail: TEXT,
  errors: listOf(members({ parameter: TEXT, detail: TEXT }), 1_000),
})

const OUTCOME = {
  oneOf: [members({ kind: { enum: ['stored', 'unknown'] } }), members({ kind: { const: 'failed' }, failure: FAILURE })],
}

const MESSAGE = members({
  from: { type: 'string', maxLength: 100 },
  event: {
    oneOf: [
      members({ type: { const: 'stored' }, key: CACHE_KEY, storedAt: TIME }),
      members({ type: { const: 'ended' }, key: CACHE_KEY, outcome: OUTCOME }),
      members({ type: { const: 'purged' }, prefix: CACHE_KEY, number: COUNT }),
    ],
  },
})

export interface RedisSchemas {
  readonly isHead: ValidateFunction<Head>
  readonly isMessage: ValidateFunction<ReplicaMessage>
}

/** Compiles the schemas, which takes some milliseconds: only for a process that uses Redis. */
export function compileSchemas(): RedisSchemas {
  const ajv = new Ajv2020({ strict: true })
  return { isHead: ajv.compile<Head>(HEAD), isMessage: ajv.compile<ReplicaMessage>(MESSAGE) }
}
