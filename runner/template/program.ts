/** A template as it is after constants, loops and partials have been written out: only what a call decides is left. */
import type { Word } from './word.js'

/** Which text a piece came from: the manifest's own SQL, or a partial and where that was included. */
export interface Origin {
  /** Null for the manifest's own SQL. */
  readonly partial: string | null
  readonly includedAt: TemplatePlace | null
}

export interface TemplatePlace {
  readonly origin: Origin
  readonly offset: number
}

export type Piece =
  /** `isVerbatim`: each character stands at its own offset; else all of them came from the tag at `place`. */
  | { readonly kind: 'text'; readonly text: string; readonly place: TemplatePlace; readonly isVerbatim: boolean }
  | { readonly kind: 'field'; readonly lookup: string; readonly field: string; readonly place: TemplatePlace }
  | {
      readonly kind: 'when'
      readonly condition: Condition
      readonly whenTrue: readonly Piece[]
      readonly whenFalse: readonly Piece[]
    }

export type Condition =
  | { readonly kind: 'given'; readonly parameter: string }
  | { readonly kind: 'field'; readonly lookup: string; readonly field: string }

/** What one call decides. */
export interface Choice {
  /** Lookup table → the fields of its chosen row. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, Word>>>>
  readonly given: ReadonlySet<string>
}

/** What the pieces ask: lookup tables and parameters, in the order of first use. */
export function askedBy(pieces: readonly Piece[]): {
  readonly lookups: readonly string[]
  readonly given: readonly string[]
} {
  const lookups = new Set<string>()
  const given = new Set<string>()
  const visit = (piece: Piece): void => {
    if (piece.kind === 'text') return
    if (piece.kind === 'field') {
      lookups.add(piece.lookup)
      return
    }
    if (piece.condition.kind === 'given') given.add(piece.condition.parameter)
    else lookups.add(piece.condition.lookup)
    piece.whenTrue.forEach(visit)
    piece.whenFalse.forEach(visit)
  }
  pieces.forEach(visit)
  return { lookups: [...lookups], given: [...given] }
}
