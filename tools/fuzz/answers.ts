/** The answers of the two engines to a query. */
import type { ReferenceResult } from '../oracle/reference.js'

export type OurAnswer =
  | {
      readonly kind: 'rows'
      readonly columns: readonly { name: string; type: string }[]
      readonly rows: readonly unknown[][]
    }
  | { readonly kind: 'error'; readonly message: string; readonly isFault: boolean }
  | { readonly kind: 'timeout' }

export type TheirAnswer =
  | ({ readonly kind: 'rows' } & ReferenceResult)
  | { readonly kind: 'error'; readonly message: string }
  /** No answer: the reference lacks a function, crashed, or did not finish. */
  | { readonly kind: 'none'; readonly message: string }
