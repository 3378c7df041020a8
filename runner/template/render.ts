/** Pieces and a choice → SQL text, with a map from each character to its place in the template. */
import type { Choice, Condition, Piece, TemplatePlace } from './program.js'
import { isTruthy, wordText } from './word.js'

interface Segment {
  /** The offset in the SQL text. */
  readonly start: number
  readonly place: TemplatePlace
  readonly isVerbatim: boolean
}

export interface RenderedSql {
  readonly sql: string
  readonly segments: readonly Segment[]
}

/** Renders the SQL of one choice. `choice.rows` must have a row for every lookup table that the pieces use. */
export function renderPieces(pieces: readonly Piece[], choice: Choice): RenderedSql {
  let sql = ''
  const segments: Segment[] = []
  const write = (text: string, place: TemplatePlace, isVerbatim: boolean): void => {
    // `a-{{n}}` with n = -5 would begin a comment.
    if (!isVerbatim && text.startsWith('-') && sql.endsWith('-')) sql += ' '
    segments.push({ start: sql.length, place, isVerbatim })
    sql += text
  }
  const visit = (piece: Piece): void => {
    if (piece.kind === 'text') {
      write(piece.text, piece.place, piece.isVerbatim)
    } else if (piece.kind === 'field') {
      write(wordText(choice.rows[piece.lookup]![piece.field]!), piece.place, false)
    } else {
      for (const inner of holds(piece.condition, choice) ? piece.whenTrue : piece.whenFalse) visit(inner)
    }
  }
  for (const piece of pieces) visit(piece)
  return { sql, segments }
}

/** Whether the condition is true for this choice. */
export function holds(condition: Condition, choice: Choice): boolean {
  return condition.kind === 'given'
    ? choice.given.has(condition.parameter)
    : isTruthy(choice.rows[condition.lookup]![condition.field]!)
}

/** The place in the template of the character at this offset of the SQL; null when the SQL is empty. */
export function placeInTemplate(rendered: RenderedSql, offset: number): TemplatePlace | null {
  const segment = rendered.segments.findLast(({ start }, i) => start <= offset || i === 0)
  if (segment === undefined) return null
  const { place, start, isVerbatim } = segment
  return isVerbatim ? { origin: place.origin, offset: place.offset + Math.max(0, offset - start) } : place
}
