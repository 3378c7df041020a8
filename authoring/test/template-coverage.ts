/** What tests of an endpoint can reach: the variants of its template, and its branches. */

import { argumentText } from '../../runner/manifest/argument-text.js'
import type { ExpandedSql } from '../../runner/manifest/expand-sql.js'
import type { FilePlace } from '../../runner/manifest/source.js'
import { memo } from '../../runner/model/bounded-map.js'
import type { Parameter } from '../../runner/model/param.js'
import type { ArgumentMap } from '../../runner/model/query.js'
import type { Piece } from '../../runner/template/program.js'
import { holds } from '../../runner/template/render.js'
import { variantIndexer } from '../../runner/template/variants.js'

/** One side of a condition, in the manifest or a partial. */
export interface TemplateBranch {
  readonly place: FilePlace
  /** The condition: `given.function_id`, `retention.days`. */
  readonly condition: string
  readonly isTrue: boolean
  /** The variants that take this branch. */
  readonly variants: ReadonlySet<number>
}

export type TemplateCoverage = ReturnType<typeof templateCoverage>

export function templateCoverage(expanded: ExpandedSql, parameters: readonly Parameter[]) {
  const indexOf = variantIndexer(expanded.space)
  const reachable = [...reachableIndexes(expanded, parameters, indexOf)].sort((a, b) => a - b)
  return {
    /** The number of the variant that a call with these arguments runs. */
    variantOf: (args: ArgumentMap): number => indexOf(name => argumentText(args, name)),
    /**
     * The variants that arguments can reach, by their numbers: where one parameter picks the rows of two lookup tables, some pairs of
     * rows never come together.
     */
    variants: new Map(reachable.map(index => [index, expanded.variants[index]!])),
    branches: branchesOf(expanded, reachable),
  }
}

/** Stands for an argument that names no row of a lookup table. */
const OTHER = '\u0000other'

function reachableIndexes(
  { space }: ExpandedSql,
  parameters: readonly Parameter[],
  indexOf: (textOf: (name: string) => string | undefined) => number,
): ReadonlySet<number> {
  const choices = new Map<string, Set<string | undefined>>()
  for (const axis of space.axes) {
    const name = axis.kind === 'row' ? axis.by : axis.parameter
    const parameter = parameters.find(item => item.name === name)
    const texts = memo(choices, name, () => new Set())
    if (axis.kind === 'row') for (const row of axis.rows) texts.add(row)
    if (parameter?.rows === undefined) texts.add(OTHER)
    if (!parameter?.isRequired && parameter?.default === undefined) texts.add(undefined)
  }
  let combinations: ReadonlyMap<string, string | undefined>[] = [new Map()]
  for (const [name, texts] of choices) {
    combinations = combinations.flatMap(combination => [...texts].map(text => new Map([...combination, [name, text]])))
  }
  return new Set(combinations.map(texts => indexOf(name => texts.get(name))))
}

function branchesOf({ expansion, variants, placeAt }: ExpandedSql, reachable: readonly number[]): TemplateBranch[] {
  const branches = new Map<string, TemplateBranch & { readonly variants: Set<number> }>()
  const variantsOf = (piece: Piece & { readonly kind: 'when' }, isTrue: boolean): Set<number> => {
    const place = placeAt(piece.place)
    const key = `${place.file}:${place.line}:${place.column}:${isTrue}`
    const { condition } = piece
    const text = condition.kind === 'given' ? `given.${condition.parameter}` : `${condition.lookup}.${condition.field}`
    return memo(branches, key, () => ({ place, condition: text, isTrue, variants: new Set<number>() })).variants
  }
  const visit = (pieces: readonly Piece[], indexes: readonly number[]): void => {
    for (const piece of pieces) {
      if (piece.kind !== 'when') continue
      for (const isTrue of [true, false]) {
        const taking = indexes.filter(index => holds(piece.condition, variants[index]!.choice) === isTrue)
        const variantsOfBranch = variantsOf(piece, isTrue)
        for (const index of taking) variantsOfBranch.add(index)
        visit(isTrue ? piece.whenTrue : piece.whenFalse, taking)
      }
    }
  }
  visit(expansion.pieces, reachable)
  // A condition that no arguments make true, or false, has one side only.
  return [...branches.values()].filter(branch => branch.variants.size > 0)
}
