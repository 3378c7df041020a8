/** Cuts a JSON result to its first rows and indents it. Numbers that a double cannot hold keep their digits. */
import { parseExact, stringifyExact } from '../../runner/model/exact-json.js'

/** `{"result":[row,…]}` with at most `maxRows` rows, two spaces for each level, and a line feed at its end. */
export function firstRows(json: string, maxRows: number): string {
  const { result } = parseExact(json) as { readonly result: readonly unknown[] }
  return `${stringifyExact({ result: result.slice(0, maxRows) }, 2)}\n`
}
