/** How wide columns are: from what the first rows hold, so that nothing moves while the rows are scrolled. */
import type { Column } from '../api/contract.js'
import { cellText } from '../value/cell.js'
import { kindOf } from '../value/types.js'

const SAMPLE = 200
const CHARACTER_PX = 7.3
const PADDING_PX = 26
const MIN_PX = 72
const MAX_PX = 460
/** A time with microseconds. */
const TIME_CHARACTERS = 26
const SUMMARY_CHARACTERS = 40

export function columnWidths(columns: readonly Column[], rows: readonly (readonly unknown[])[]): readonly number[] {
  const sample = rows.slice(0, SAMPLE)
  return columns.map(({ name, type, unit = '' }, i) => {
    const kind = kindOf(type)
    const head = Math.max(name.length * 1.12 + 3, Math.min(type.length + unit.length + 1, 22))
    const longest = sample.reduce((most, row) => {
      const value = row[i]
      if (value === null || value === undefined) return Math.max(most, 4)
      if (kind === 'time') return Math.max(most, Math.min(String(value).length, TIME_CHARACTERS))
      if (kind === 'nested') return Math.max(most, SUMMARY_CHARACTERS)
      return Math.max(most, Math.min(cellText(type, value, 'utc').length, 80))
    }, 0)
    return Math.round(Math.min(MAX_PX, Math.max(MIN_PX, Math.max(head, longest) * CHARACTER_PX + PADDING_PX)))
  })
}
