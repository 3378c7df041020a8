/** What a call in a test gave. */
import type { ArgumentProblem } from '../../runner/model/errors.js'
import type { ResultColumn } from '../../runner/model/query.js'

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
  /** The engine's message, which only the author may see; empty where it says nothing more. */
  readonly reason: string
}

export type Answer = RowsAnswer | ProblemAnswer
