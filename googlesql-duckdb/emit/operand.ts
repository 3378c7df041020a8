/** Finds out whether SQL needs parentheses as an operand, and splits the arguments of a call. */

const NAMES = /^(?:[a-z_][\w$]*|"[^"]+")(?:\.(?:[a-z_][\w$]*|"[^"]+"))*$/i
/** A literal, with or without a cast: `5::BIGINT`, `'x'`. */
const LITERAL = /^(?:\d+|'[^']*')(?:::\w+(?:\(\d+,\d+\))?)?$/

/**
 * Whether the SQL is a name or a path of names, a literal, one call, a list, or a text in parentheses: it needs no parentheses
 * as an operand.
 */
export function isOperandText(sql: string): boolean {
  if (NAMES.test(sql) || LITERAL.test(sql)) return true
  const open = /^(?:\w*\(|\[)/.exec(sql)
  return open !== null && closingOf(sql, open[0].length - 1) === sql.length - 1
}

/**
 * The arguments of the call whose opening parenthesis is at `open`, and the index after the closing one; null when it is not
 * closed.
 */
export function argumentsAt(
  sql: string,
  open: number,
): { readonly args: readonly string[]; readonly end: number } | null {
  const close = closingOf(sql, open)
  if (close < 0) return null
  const args: string[] = []
  let start = open + 1
  for (let i = start; i < close; i++) {
    const char = sql[i]!
    if (char === "'" || char === '"') i = sql.indexOf(char, i + 1)
    else if ('([{'.includes(char)) i = closingOf(sql, i)
    else if (char === ',') {
      args.push(sql.slice(start, i))
      start = i + 1
    }
  }
  args.push(sql.slice(start, close))
  return { args: args.map(argument => argument.trim()), end: close + 1 }
}

/** The index of the bracket that closes the one at `open`; quoted text is skipped. */
function closingOf(sql: string, open: number): number {
  let depth = 0
  for (let i = open; i < sql.length; i++) {
    const char = sql[i]!
    if (char === "'" || char === '"') {
      i = sql.indexOf(char, i + 1)
      if (i < 0) return -1
    } else if ('([{'.includes(char)) {
      depth++
    } else if (')]}'.includes(char) && --depth === 0) {
      return i
    }
  }
  return -1
}
