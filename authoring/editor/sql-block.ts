/** The SQL template of a document, and the places of its characters: the block `sql: |` of a manifest, or all of a partial. */

/** Offsets count UTF-16 units. */
export type SqlBlock = ReturnType<typeof blockOf>

type Line = ReturnType<typeof linesOf>[number]

/** The block `sql: |` of a manifest, even if the rest is not valid YAML; null without such a block. */
export function manifestSql(text: string): SqlBlock | null {
  const header = /^sql:[ \t]*\|[-+0-9]*[ \t]*(?:#.*)?\r?\n/m.exec(text)
  if (header === null) return null
  const lines = linesOf(text, header.index + header[0].length)
  const last = lines.findIndex(({ text: line }) => /^\S/.test(line))
  const inside = last < 0 ? lines : lines.slice(0, last)
  const indent = /^ */.exec(inside.find(({ text: line }) => line.trim() !== '')?.text ?? '  ')![0].length || 2
  return blockOf(
    inside.map(({ lineAt, text: line }) => {
      const blanks = Math.min(indent, /^ */.exec(line)![0].length)
      return { lineAt, textAt: lineAt + blanks, text: line.slice(blanks) }
    }),
    text.length,
  )
}

/** All of a partial's text. */
export const partialSql = (text: string): SqlBlock => blockOf(linesOf(text, 0), text.length)

function linesOf(text: string, from: number) {
  /** `lineAt` is the offset of a line, `textAt` that of its first character that belongs to the template. */
  const lines: { textAt: number; lineAt: number; text: string }[] = []
  for (let at = from; at <= text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, '')
    lines.push({ textAt: at, lineAt: at, text: line })
    if (end < 0) break
    at = end + 1
  }
  return lines
}

function blockOf(lines: readonly Line[], length: number) {
  const starts: number[] = []
  let template = ''
  for (const { text } of lines) {
    starts.push(template.length)
    template += `${text}\n`
  }
  return {
    template,
    /** The offset in the template of an offset in the document; null for one outside the block. */
    toTemplate(offset: number): number | null {
      const index = lines.findLastIndex(({ lineAt }) => lineAt <= offset)
      const line = lines[index]
      if (line === undefined || offset > (lines[index + 1]?.lineAt ?? length + 1)) return null
      return starts[index]! + Math.max(0, Math.min(offset - line.textAt, line.text.length))
    },
    toDocument(offset: number): number {
      const index = Math.max(
        0,
        starts.findLastIndex(start => start <= offset),
      )
      const line = lines[index]
      return line ? line.textAt + Math.min(offset - starts[index]!, line.text.length) : 0
    },
  }
}
