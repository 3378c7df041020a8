/** Cuts a JSON result to its first rows and indents it. Every number and text stays as it is written. */

/** A text, a mark, or a word that is a number, true, false or null. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g
/** How deep the rows are in `{"result":[row,…]}`. */
const ROWS_DEPTH = 2

/** `{"result":[row,…]}` with at most this many rows, two spaces for each level, and a line feed at its end. */
export function firstRows(json: string, most: number): string {
  const tokens = json.match(TOKENS) ?? []
  let [text, depth, rows] = ['', 0, 0]
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token === ',' && depth === ROWS_DEPTH && ++rows >= most) {
      text += `\n${'  '.repeat(depth - 1)}]\n}`
      break
    }
    if (token === '[' || token === '{') {
      const isEmpty = tokens[i + 1] === (token === '[' ? ']' : '}')
      text += isEmpty ? token + tokens[++i]! : token
      if (isEmpty) continue
      depth++
      text += line()
    } else if (token === ']' || token === '}') {
      depth--
      text += line() + token
    } else if (token === ',') text += token + line()
    else text += token === ':' ? ': ' : token
  }
  return `${text}\n`
}
