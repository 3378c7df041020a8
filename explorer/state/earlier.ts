/** The arguments of the same call for an earlier time. */
import type { Arguments, Parameter } from '../api/contract.js'

const DAY_SECONDS = 86_400

/** The arguments with each time moved back; null where no argument is a time, and where a date would move by part of a day. */
export function earlierArguments(parameters: readonly Parameter[], args: Arguments, seconds: number): Arguments | null {
  const hasDate = parameters.some(({ name, type }) => type === 'date' && args[name] !== undefined)
  if (hasDate && seconds % DAY_SECONDS !== 0) return null
  const moved = parameters.flatMap(({ name, type }) => {
    const value = args[name]
    const text = typeof value === 'string' ? earlierTime(type, value, seconds) : null
    return text === null ? [] : [[name, text] as const]
  })
  return moved.length === 0 ? null : { ...args, ...Object.fromEntries(moved) }
}

function earlierTime(type: string, text: string, seconds: number): string | null {
  if (type !== 'timestamp' && type !== 'datetime' && type !== 'date') return null
  // A time without an offset is UTC, as the server reads it.
  const hasOffset = /[zZ]$|[+-]\d\d:?\d\d$/.test(text)
  const ms = Date.parse(
    type === 'timestamp' && hasOffset ? text : `${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`,
  )
  if (Number.isNaN(ms)) return null
  const moved = new Date(ms - seconds * 1000).toISOString().replace('.000Z', 'Z')
  if (type === 'date') return moved.slice(0, 10)
  return type === 'datetime' ? moved.slice(0, -1) : moved
}
