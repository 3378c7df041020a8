/** What a call in a test gave. */
import type { ArgumentProblem } from '../model/errors.js'
import type { ResultColumn } from '../model/query.js'

export type ResultRow = Readonly<Record<string, unknown>>

export interface RowsAnswer {
  readonly kind: 'rows'
  readonly columns: readonly ResultColumn[]
  /** As HTTP sends them. */
  readonly rows: readonly ResultRow[]
  readonly isTruncated: boolean
}

export interface ProblemAnswer {
  readonly kind: 'problem'
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors: readonly ArgumentProblem[]
  /** What only the author may see: the engine's message. Empty where there is no more to say. */
  readonly reason: string
}

export type Answer = RowsAnswer | ProblemAnswer
