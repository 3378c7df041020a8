/** An expanded template: constants, loops and partials are written out, and only what the arguments decide is left. */
import type { Word } from './word.js'

/** The text that a piece comes from: the manifest's SQL, or a partial and the place that includes it. */
export interface Origin {
  /** The partial's name; null for the manifest's SQL. */
  readonly partial: string | null
  readonly includedAt: TemplatePlace | null
}

export interface TemplatePlace {
  readonly origin: Origin
  readonly offset: number
}

export type Piece =
  /** `isVerbatim`: each character has an offset of its own in the template; else all come from the tag at `place`. */
  | { readonly kind: 'text'; readonly text: string; readonly place: TemplatePlace; readonly isVerbatim: boolean }
  | { readonly kind: 'field'; readonly lookup: string; readonly field: string; readonly place: TemplatePlace }
  | {
      readonly kind: 'when'
      readonly condition: Condition
      /** The condition in the template. */
      readonly place: TemplatePlace
      readonly whenTrue: readonly Piece[]
      readonly whenFalse: readonly Piece[]
    }

export type Condition =
  | { readonly kind: 'given'; readonly parameter: string }
  | { readonly kind: 'field'; readonly lookup: string; readonly field: string }

/** What the arguments of one call decide. */
export interface Choice {
  /** Lookup table → the fields of the chosen row. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, Word>>>>
  readonly given: ReadonlySet<string>
}

/** The lookup tables and parameters that the pieces use, in the order of first use. */
export function namesUsedBy(pieces: readonly Piece[]) {
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
