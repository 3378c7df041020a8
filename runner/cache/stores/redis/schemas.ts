/** The shape of what replicas may find in Redis, which other programs can write to: entries, and messages. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { PurgeMarks, ReplicaEvent, StoredResult } from '../../../model/ports.js'

/** The ETag is not stored: it is computed from the body. */
export interface Head extends Omit<StoredResult, 'body' | 'etag' | 'page'> {
  /** Milliseconds since 1970. */
  readonly keepUntil: number
  readonly purges: PurgeMarks
}

const textOf = (maxLength: number) => ({ type: 'string', maxLength })
const CACHE_KEY = textOf(1_000)
const TEXT = textOf(10_000)
/** Microseconds. */
const DIGITS = { type: 'string', pattern: '^-?[0-9]{1,20}$' }
const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000 }
const TIME = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
/** The most characters of a mark of a purge, and of the part that a purge of a partition adds to one. */
export const MAX_MARK = 1_000
export const MAX_PART = 100

/** An object with exactly these members; those in `optional` may be missing. */
const members = (required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
})

const listOf = (items: object, maxItems: number) => ({ type: 'array', items, maxItems })

/** The most characters of the list of a table's parts; each part takes 25. */
export const MAX_PARTS_LENGTH = 500_000

const KEPT = members({
  spans: listOf(members({ from: DIGITS, until: DIGITS, rows: COUNT }), 1_000),
  parts: textOf(MAX_PARTS_LENGTH),
})

/** The bounds of columns and rows are above those of the engines and of manifests. */
const HEAD = members(
  {
    columns: listOf(members({ name: textOf(1_000), type: textOf(1_000_000) }), 10_000),
    rowCount: COUNT,
    isTruncated: { type: 'boolean' },
    now: DIGITS,
    storedAt: TIME,
    freshUntil: TIME,
    keepUntil: TIME,
    purges: { ...listOf(textOf(MAX_MARK), 4), minItems: 4 },
  },
  { dataState: textOf(100_000), kept: KEPT },
)

/** value.ts checks that the members of each row are the columns. */
const BODY = members({ result: listOf({ type: 'object' }, 1_000_000) })

const FAILURE = members({
  code: { type: 'string', pattern: '^[A-Z_]{1,50}$' },
  detail: TEXT,
  errors: listOf(members({ parameter: TEXT, detail: TEXT }), 1_000),
})

const OUTCOME = {
  oneOf: [members({ kind: { enum: ['stored', 'unknown'] } }), members({ kind: { const: 'failed' }, failure: FAILURE })],
}

const EVENT = {
  oneOf: [
    members({ type: { const: 'stored' }, key: CACHE_KEY, storedAt: TIME }),
    members({ type: { const: 'ended' }, key: CACHE_KEY, outcome: OUTCOME }),
    members({ type: { const: 'purged' }, prefix: CACHE_KEY }, { part: textOf(MAX_PART) }),
  ],
}

const ajv = new Ajv2020({ strict: true })

export const isBody = ajv.compile<{ readonly result: readonly object[] }>(BODY)
export const isHead = ajv.compile<Head>(HEAD)
export const isEvent = ajv.compile<ReplicaEvent>(EVENT)
