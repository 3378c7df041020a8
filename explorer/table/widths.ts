/** How wide columns are: from what the first rows hold, so that nothing moves while the rows are scrolled. */
import type { Column } from '../api/contract.js'
import { cellText } from '../value/cell.js'
import { kindOf } from '../value/types.js'

const SAMPLE = 200
/** The width of a character of a column's name or type, which are set smaller. */
const CHARACTER_PX = 7.3
const PADDING_PX = 26
const MIN_PX = 72
const MAX_PX = 460
/** A time with microseconds. */
const TIME_CHARACTERS = 26
const SUMMARY_CHARACTERS = 40
const MAX_CHARACTERS = 80
/** How many of the longest texts are measured: the longest is not always the widest. */
const MEASURED = 8

export function columnWidths(columns: readonly Column[], rows: readonly (readonly unknown[])[]): readonly number[] {
  const sample = rows.slice(0, SAMPLE)
  return columns.map(({ name, type, unit = '' }, i) => {
    const kind = kindOf(type)
    const head = Math.max(name.length * 1.12 + 3, Math.min(type.length + unit.length + 1, 22))
    const texts = sample.map(row => {
      const value = row[i]
      if (value === null || value === undefined) return 'NULL'
      if (kind === 'nested') return 'n'.repeat(SUMMARY_CHARACTERS)
      return cellText(type, value, 'utc').slice(0, kind === 'time' ? TIME_CHARACTERS : MAX_CHARACTERS)
    })
    const longest = texts.sort((a, b) => b.length - a.length).slice(0, MEASURED)
    const width = Math.max(head * CHARACTER_PX, ...longest.map(textWidth)) + PADDING_PX
    return Math.ceil(Math.min(MAX_PX, Math.max(MIN_PX, width)))
  })
}

let context: CanvasRenderingContext2D | null = null

/** The width of a text in the font of the page: fonts of systems differ by more than a character in twelve. */
function textWidth(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')!
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}
