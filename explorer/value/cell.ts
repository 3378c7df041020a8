/** The text of a cell. */
import { ExactNumber } from '../api/exact-json.js'
import { timeText, type Zone } from './times.js'
import { kindOf } from './types.js'

/** The longest text that a cell shows; the whole of it can be copied. */
export const MAX_SHOWN = 300

/** What a cell shows of a value that is not NULL. */
export function cellText(type: string, value: unknown, zone: Zone): string {
  if (kindOf(type) === 'time') return timeText(type, value, zone)
  return isNested(value) ? nestedSummary(value) : String(value)
}

/** What copying gives: all of it, nested values as JSON, NULL as nothing. */
export function copyText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return isNested(value) ? jsonText(value) : String(value)
}

export const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** `{method, path, 3 more}`, `[12 items]`, `[{method, path}]`. */
export function nestedSummary(value: object): string {
  if (Array.isArray(value)) {
    const [only] = value
    if (value.length === 1) return isNested(only) ? `[${nestedSummary(only)}]` : '[1 item]'
    return `[${value.length} items]`
  }
  const names = Object.keys(value)
  const shown = names.slice(0, 3).join(', ').slice(0, 60)
  return `{${shown}${names.length > 3 ? `, ${names.length - 3} more` : ''}}`
}

/** JSON with numbers as they were written. */
export function jsonText(value: unknown, indent = ''): string {
  if (value instanceof ExactNumber) return value.text
  if (!isNested(value)) return JSON.stringify(value) ?? 'null'
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map(item => jsonText(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonText(member, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? `${open}${close}` : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}
