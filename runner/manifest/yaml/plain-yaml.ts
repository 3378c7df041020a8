/**
 * Reads the plain part of YAML that most manifests keep to, a tenth of the time that a whole parser needs. What is not
 * plain, or not right, is left to that parser: it alone knows the places and the words for a mistake.
 */
import { isWhole, readFlow, readScalar } from './plain-flow.js'

export interface PlainYaml {
  readonly value: unknown
  /** The root's member `sql` is a literal block. */
  readonly isSqlLiteral: boolean
}

/** Null for a text that is not plain. For one that is, the value is what `yaml` makes of it by the core schema. */
export function readPlainYaml(text: string): PlainYaml | null {
  // A text that `findExcess` has let through is not nested deeply.
  if (STRANGE.test(text)) return null
  if (text.startsWith('{') || text.startsWith('[')) {
    const flow = readFlow(text, 0, true)
    return flow && text.slice(flow.end).trim() === '' ? { value: flow.value, isSqlLiteral: false } : null
  }
  if (!text.endsWith('\n')) return null
  const reader = new BlockReader(text.split('\n'))
  const value = reader.readBlock(0)
  return value === undefined || !reader.isAtEnd() ? null : { value, isSqlLiteral: reader.isSqlLiteral }
}

/** White space other than blanks and line feeds, which JavaScript trims and YAML does not; document markers and directives. */
const STRANGE = /[^\S \n]|^(?:---|\.\.\.|%)/m
const BLANK = /^ *(?:#|$)/
// YAML allows keys of 1,024 characters.
const ENTRY = /^ *([A-Za-z0-9_][\w.-]{0,999}):(?: +|$)/
const NOT_PLAIN = undefined

const indentOf = (line: string): number => {
  let indent = 0
  while (line[indent] === ' ') indent += 1
  return indent
}

/** Reads line by line; undefined is what is not plain. */
class BlockReader {
  isSqlLiteral = false
  readonly #lines: string[]
  #at = 0

  /** The last of the lines is what stands behind the last line break. */
  constructor(lines: string[]) {
    this.#lines = lines
  }

  isAtEnd(): boolean {
    this.#skipBlank()
    return this.#at >= this.#lines.length
  }

  /** The map or list whose entries stand at this column. */
  readBlock(indent: number): unknown {
    if (this.isAtEnd() || this.#indent() !== indent) return NOT_PLAIN
    return this.#isItem(indent) ? this.#readList(indent) : this.#readMap(indent)
  }

  #readMap(indent: number): unknown {
    const map: Record<string, unknown> = {}
    while (!this.isAtEnd() && this.#indent() >= indent) {
      const entry = ENTRY.exec(this.#line())
      const key = entry?.[1]
      if (key === undefined || this.#indent() !== indent || !isKey(key, map)) return NOT_PLAIN
      const rest = this.#line().slice(entry![0].length).trimEnd()
      if (indent === 0 && key === 'sql') this.isSqlLiteral = rest === '|'
      const value = rest === '' || rest.startsWith('#') ? this.#readNested(indent) : this.#readValue(rest, indent)
      if (value === undefined) return NOT_PLAIN
      map[key] = value
    }
    return map
  }

  #readList(indent: number): unknown {
    const list: unknown[] = []
    while (!this.isAtEnd() && this.#indent() >= indent) {
      // The list of a member may stand at the member's own column, where the next member ends it.
      if (this.#indent() !== indent) return NOT_PLAIN
      if (!this.#isItem(indent)) break
      const value = this.#readItem(indent)
      if (value === undefined) return NOT_PLAIN
      list.push(value)
    }
    return list
  }

  #readItem(indent: number): unknown {
    const rest = this.#line().slice(indent + 1)
    const content = rest.trimStart()
    if (content === '' || content.startsWith('#') || content.startsWith('- ') || content === '-') return NOT_PLAIN
    if (!ENTRY.test(content)) return this.#readValue(content.trimEnd(), indent)
    // `- a: 1` opens a map in which `a` stands.
    const inner = indent + 1 + rest.length - content.length
    this.#lines[this.#at] = ' '.repeat(inner) + content
    return this.#readMap(inner)
  }

  /** What stands below a member that says nothing in its own line. */
  #readNested(indent: number): unknown {
    this.#at += 1
    if (this.isAtEnd()) return null
    const inner = this.#indent()
    if (inner > indent || (inner === indent && this.#isItem(indent))) return this.readBlock(inner)
    return null
  }

  /** What begins in this line; `indent` is the column of whatever it belongs to. */
  #readValue(text: string, indent: number): unknown {
    if (text === '|') return this.#readLiteral(indent)
    if (text === '>-') return this.#readFolded(indent)
    this.#at += 1
    // Whatever is indented further goes on with this value.
    if (!this.isAtEnd() && this.#indent() > indent) return NOT_PLAIN
    if (!text.startsWith('{') && !text.startsWith('[')) return readScalar(text)
    const flow = readFlow(text, 0, false)
    return flow && isWhole(text, flow.end) ? flow.value : NOT_PLAIN
  }

  #readLiteral(indent: number): string | undefined {
    const lines = this.#readIndented(indent)
    return lines && `${lines.join('\n')}\n`
  }

  #readFolded(indent: number): string | undefined {
    const lines = this.#readIndented(indent)
    // Blank lines, and those that are indented further or end in blanks, are not simply joined.
    return lines?.every(line => line !== '' && line.trim() === line) ? lines.join(' ') : NOT_PLAIN
  }

  /** The lines of a block scalar, without their indentation and without blank ones at the end. */
  #readIndented(indent: number): readonly string[] | undefined {
    const from = this.#at + 1
    const first = this.#lines.findIndex((line, at) => at >= from && line.trim() !== '')
    if (first < 0) return NOT_PLAIN
    const inner = indentOf(this.#lines[first]!)
    if (inner <= indent || this.#lines.slice(from, first).some(line => line.length > inner)) return NOT_PLAIN
    let end = first
    while (end < this.#lines.length && (this.#lines[end]!.trim() === '' || indentOf(this.#lines[end]!) >= inner))
      end += 1
    this.#at = end
    if (end < this.#lines.length && indentOf(this.#lines[end]!) > indent) return NOT_PLAIN
    const lines = this.#lines.slice(from, end).map(line => line.slice(inner))
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  #line(): string {
    return this.#lines[this.#at]!
  }

  #indent(): number {
    return indentOf(this.#line())
  }

  #isItem(indent: number): boolean {
    return this.#line()[indent] === '-' && (this.#line()[indent + 1] ?? ' ') === ' '
  }

  #skipBlank(): void {
    while (this.#at < this.#lines.length && BLANK.test(this.#lines[this.#at]!)) this.#at += 1
  }
}

/** Whether YAML makes text of it, and none that a map has already or may not have. */
const isKey = (key: string, map: Readonly<Record<string, unknown>>): boolean =>
  typeof readScalar(key) === 'string' && key !== '__proto__' && !Object.hasOwn(map, key)
