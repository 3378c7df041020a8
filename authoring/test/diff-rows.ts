/** The difference of two lists of rows as an aligned table: `-` is expected and missing, `+` is found and not expected. */

import { cut, printable, widthOf } from '../terminal/printable.js'
import type { ResultRow } from './answer.js'
import { type AlignedPair, alignRows, pairChanges } from './files/align-rows.js'
import { equalValues, hasMembers } from './files/equal-values.js'

const MAX_CELL = 40
const MAX_LINES = 40
/** The equal rows that are shown before and after a difference. */
const CONTEXT = 2
/** How many characters of a long value are shown around its first difference, and how many of them come before it. */
const MAX_PART = 120
const BEFORE_DIFFERENCE = 30

type Line =
  | { readonly mark: ' ' | '-' | '+'; readonly row: ResultRow }
  | { readonly skipped: number }
  | { readonly note: string }
  /** Marks these columns of the line above. */
  | { readonly differing: Texts }

type Rows = readonly ResultRow[]
type Texts = readonly string[]

/** The lines of the table; `columns` are those of the result, in order. */
export const diffRows = (expected: Rows, actual: Rows, columns: Texts): Texts =>
  table(linesOf(pairChanges(alignRows(expected, actual)), expected, actual), columns)

/** The same for rows whose order does not matter: only the rows that one side alone has. */
export function diffUnordered(missing: Rows, added: Rows, columns: Texts): Texts {
  const markRows = (mark: '-' | '+', rows: Rows): readonly Line[] => rows.map(row => ({ mark, row }))
  return table([...markRows('-', missing), ...markRows('+', added)], columns)
}

/** For each wanted row: the row itself, the actual row with most of its members, and a mark below the members that differ. */
export function diffNearest(wantedRows: Rows, actual: Rows): Texts {
  const lines = wantedRows.flatMap((wanted): readonly Line[] => {
    const names = Object.keys(wanted)
    const differing = actual.map(row => names.filter(name => !hasMembers({ [name]: wanted[name] }, row)))
    const least = Math.min(...new Set(differing.map(({ length }) => length)))
    const index = differing.findIndex(({ length }) => length === least)
    if (index < 0) return [{ mark: '-', row: wanted }]
    const nearest = Object.fromEntries(Object.entries(actual[index]!).filter(([name]) => Object.hasOwn(wanted, name)))
    const lines: readonly Line[] = [
      { mark: '-', row: wanted },
      { mark: '+', row: nearest },
      { differing: differing[index]! },
    ]
    return [...lines, ...hiddenDifferences(wanted, nearest)]
  })
  return table(lines, [])
}

function linesOf(pairs: readonly AlignedPair[], expected: Rows, actual: Rows): readonly Line[] {
  const isEqual = pairs.map(
    pair => pair.expected !== null && pair.found !== null && equalValues(expected[pair.expected], actual[pair.found]),
  )
  const isNear = (i: number): boolean => isEqual.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).includes(false)
  const lines: Line[] = []
  let skipped = 0
  for (const [i, pair] of pairs.entries()) {
    if (!isNear(i)) {
      skipped++
      continue
    }
    if (skipped > 0) lines.push({ skipped })
    skipped = 0
    const [before, after] = [rowAt(expected, pair.expected), rowAt(actual, pair.found)]
    if (isEqual[i]) lines.push({ mark: ' ', row: before! })
    else if (before && after) {
      lines.push({ mark: '-', row: before }, { mark: '+', row: after }, ...hiddenDifferences(before, after))
    } else lines.push(before ? { mark: '-', row: before } : { mark: '+', row: after! })
  }
  if (skipped > 0) lines.push({ skipped })
  return lines
}

const rowAt = (rows: Rows, index: number | null): ResultRow | null => (index === null ? null : rows[index]!)

function table(all: readonly Line[], columns: Texts): Texts {
  const lines = all.slice(0, MAX_LINES)
  const rows = lines.flatMap(line => ('row' in line ? [line.row] : []))
  const names = [...new Set([...columns, ...rows.flatMap(row => Object.keys(row))])]
  const cells = rows.map(row => names.map(name => cellText(row, name)))
  const widths = names.map((name, i) => Math.max(...[name, ...cells.map(row => row[i]!)].map(widthOf)))
  const line = (mark: string, texts: Texts): string =>
    `${mark} ${texts.map((text, i) => text + ' '.repeat(widths[i]! - widthOf(text))).join('  ')}`.trimEnd()
  const texts = lines.map(one => {
    if ('row' in one) return line(one.mark, cells.shift()!)
    if ('differing' in one)
      return line(
        ' ',
        names.map((name, i) => (one.differing.includes(name) ? '^'.repeat(widths[i]!) : '')),
      )
    return 'note' in one ? one.note : `  … ${one.skipped} equal`
  })
  const hiddenCount = all.length - lines.length
  return [line(' ', names), ...texts, ...(hiddenCount > 0 ? [`  … ${hiddenCount} more`] : [])]
}

/** The differences of two rows that their cut cells do not show. */
function hiddenDifferences(before: ResultRow, after: ResultRow): readonly Line[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter(name => !equalValues(before[name], after[name]) && cellText(before, name) === cellText(after, name))
    .flatMap(name => {
      const [a, b] = [fullText(before[name]), fullText(after[name])]
      let at = 0
      while (at < a.length && a[at] === b[at]) at++
      const from = Math.max(0, at - BEFORE_DIFFERENCE)
      const excerpt = (text: string): string => `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_PART)}`
      return [{ note: `- ${name}: ${excerpt(a)}` }, { note: `+ ${name}: ${excerpt(b)}` }]
    })
}

/** The value, cut where it is long. */
function cellText(row: ResultRow, name: string): string {
  return Object.hasOwn(row, name) ? cut(fullText(row[name]), MAX_CELL) : '(not there)'
}

const LIKE_ANOTHER = /^(?:|-?[\d.]+(?:e[+-]?\d+)?|null|true|false|[[{"].*|\s.*|.*\s)$/is

/** The whole value: a text is in quotes where it would read like a value of another type. */
function fullText(value: unknown): string {
  const isPlain = typeof value === 'string' && !LIKE_ANOTHER.test(value)
  return printable(isPlain ? value : JSON.stringify(value))
}
