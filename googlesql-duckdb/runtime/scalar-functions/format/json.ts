/** The readable form of JSON text, on several lines; numbers keep their text. */

/** Indents by two spaces for each level; empty objects and arrays stay on one line. */
export function prettyJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"\s]+/gs) ?? []
  let depth = 0
  let output = ''
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  tokens.forEach((token, index) => {
    const isEmpty = tokens[index + 1] === '}' || tokens[index + 1] === ']'
    if (token === '{' || token === '[') {
      depth++
      output += token
      if (!isEmpty) output += newLine()
    } else if (token === '}' || token === ']') {
      depth--
      const before = tokens[index - 1]
      output += before === '{' || before === '[' ? token : newLine() + token
    } else if (token === ',') output += `,${newLine()}`
    else output += token === ':' ? ': ' : token
  })
  return output
}
