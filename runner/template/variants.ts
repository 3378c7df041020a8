/** All SQL texts that a template can produce, and which of them a call runs. */
import type { Variant } from '../model/endpoint.js'
import type { Lookup } from '../model/manifest.js'
import { type Choice, namesUsedBy, type Piece } from './program.js'
import { type RenderedSql, renderPieces } from './render.js'
import type { WordMap } from './word.js'

/** The most variants of an endpoint: with more, loading would take longer than milliseconds. */
export const MAX_VARIANTS = 4_096

/** The lookup tables of a manifest, by name. */
export type Lookups = Readonly<Record<string, Lookup>>

/** One choice of a call: the row of a lookup table, or whether an argument is given. */
type Axis =
  | {
      readonly kind: 'row'
      readonly lookup: string
      readonly by: string
      readonly rows: readonly string[]
      /** The index of each row, by its name. */
      readonly indexes: ReadonlyMap<string | undefined, number>
      readonly fallback: number
    }
  | { readonly kind: 'given'; readonly parameter: string }

export interface RenderedVariant extends Variant {
  readonly rendered: RenderedSql
  readonly choice: Choice
  /** The row of each lookup table that the template reads, with the parameter that picks it. */
  readonly pickedRows: readonly PickedRow[]
}

export interface PickedRow {
  readonly by: string
  readonly row: string
}

export interface VariantSpace {
  readonly axes: readonly Axis[]
  readonly size: number
}

/** The choices that these pieces depend on. Lookup tables and parameters that they do not use are left out. */
export function variantSpace(pieces: readonly Piece[], lookups: Lookups): VariantSpace {
  const names = namesUsedBy(pieces)
  const axes: Axis[] = []
  for (const lookup of names.lookups) {
    const { by, rows: fields, default: row } = lookups[lookup]!
    const rows = Object.keys(fields)
    const indexes = new Map(rows.map((name, index) => [name, index]))
    axes.push({ kind: 'row', lookup, by, rows, indexes, fallback: indexes.get(row) ?? 0 })
  }
  for (const parameter of names.given) axes.push({ kind: 'given', parameter })
  return { axes, size: axes.reduce((size, axis) => size * lengthOf(axis), 1) }
}

const lengthOf = (axis: Axis): number => (axis.kind === 'row' ? axis.rows.length : 2)

/** All variants, in the order of `variantIndexer`. Call only when `space.size` is at most MAX_VARIANTS. */
export function renderVariants(pieces: readonly Piece[], space: VariantSpace, lookups: Lookups) {
  return Array.from({ length: space.size }, (_, index) => {
    const { choice, label, pickedRows } = choiceAt(space, index, lookups)
    const rendered = renderPieces(pieces, choice)
    return { label, sql: rendered.sql, rendered, choice, pickedRows }
  })
}

function choiceAt(space: VariantSpace, index: number, lookups: Lookups) {
  const rows: Record<string, WordMap> = {}
  const given = new Set<string>()
  const labels: string[] = []
  const pickedRows: PickedRow[] = []
  let rest = index
  for (const axis of space.axes) {
    const option = rest % lengthOf(axis)
    rest = Math.floor(rest / lengthOf(axis))
    if (axis.kind === 'row') {
      rows[axis.lookup] = lookups[axis.lookup]!.rows[axis.rows[option]!]!
      labels.push(`${axis.by}=${axis.rows[option]}`)
      pickedRows.push({ by: axis.by, row: axis.rows[option]! })
    } else {
      if (option === 1) given.add(axis.parameter)
      labels.push(`${axis.parameter} ${option === 1 ? 'given' : 'absent'}`)
    }
  }
  return { choice: { rows, given }, label: labels.join(', '), pickedRows }
}

/** A function from the arguments of a call to the index of its variant. `textOf` returns undefined for an absent argument. */
export function variantIndexer({ axes }: VariantSpace): (textOf: (parameter: string) => string | undefined) => number {
  return textOf => {
    let [index, stride] = [0, 1]
    for (const axis of axes) {
      const text = textOf(axis.kind === 'row' ? axis.by : axis.parameter)
      index += stride * (axis.kind === 'row' ? (axis.indexes.get(text) ?? axis.fallback) : Number(text !== undefined))
      stride *= lengthOf(axis)
    }
    return index
  }
}
