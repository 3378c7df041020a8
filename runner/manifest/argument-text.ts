/** The text of an argument as templates compare it. */
import type { ArgumentMap } from '../model/query.js'

/** The text by which an argument picks a row of a lookup table; undefined where it is absent. */
export function argumentText(args: ArgumentMap, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  return value === undefined || value === null ? undefined : String(value)
}
