/** Reads RFC 4180 as Sluice writes it: an empty cell without quotes is NULL. */

export function readCsv(text: string): readonly (readonly (string | null)[])[] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const found = cell.exec(text)
    if (!found) throw new SyntaxError(`no cell at character ${at}: ${text.slice(at, at + 40)}`)
    const [, quoted, plain, end] = found
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
