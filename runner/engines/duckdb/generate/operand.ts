/** Parentheses where they are needed. */

const NAMES = /^(?:[a-z_]\w*|"[^"]+")(?:\.(?:[a-z_]\w*|"[^"]+"))*$/i
/** A literal with its cast, or without: `5::BIGINT`, `'x'`. */
const LITERAL = /^(?:\d+|'[^']*')(?:::\w+(?:\(\d+,\d+\))?)?$/

/** The SQL as an operand: names, a literal, one call, a list or a parenthesised text stay as they are. */
export function asOperand(sql: string): string {
  if (NAMES.test(sql) || LITERAL.test(sql)) return sql
  const open = /^(?:\w*\(|\[)/.exec(sql)
  return open && closingOf(sql, open[0].length - 1) === sql.length - 1 ? sql : `(${sql})`
}

/** The place of the bracket that closes the one at `open`; quoted text is passed over. */
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
