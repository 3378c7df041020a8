/**
 * A piece of generated SQL with what its readers have to know of it, so that its text is never read back. What is known of a
 * fragment comes from its parts and from the template around them; a template is read once, as a macro is.
 */
import { hasLambda, hasQuery, sizeOfSql, usesOf } from './macro-usage.js'
import { isOperandText } from './operand.js'

export interface Fragment {
  readonly text: string
  /** Names and literals that DuckDB's binder sees, those of macros included. */
  readonly size: number
  /** It may stand anywhere an operand can. */
  readonly isOperand: boolean
  /** Names joined by dots. */
  readonly isPath: boolean
  /** It begins with the call of a function that may be a macro, see named.ts. */
  readonly isMacroCall: boolean
  /** A subquery is written in it. */
  readonly hasSelect: boolean
  /** The same, or a macro in it has one. */
  readonly hasQuery: boolean
  /** A lambda is written in it. */
  readonly hasLambda: boolean
  /** The fields of a struct that is put together here. */
  readonly fields?: readonly { readonly name: string; readonly sql: Fragment }[]
  /** The text, so that a fragment may stand in a template of text. */
  toString(): string
}

/** The name of the part of this index in a template. No column, alias or variable has a `$` before a digit. */
export const slot = (index: number): string => `slot$${index}`

interface Template {
  /** Text and indexes of parts, in turn. */
  readonly pieces: readonly (string | number)[]
  /** How often DuckDB computes each part. */
  readonly uses: ReadonlyMap<number, number>
  /** Without the parts. */
  readonly size: number
  readonly isOperand: boolean
  readonly isMacroCall: boolean
  /** The part that it begins with, parentheses aside; null for none. */
  readonly first: number | null
  readonly hasSelect: boolean
  readonly hasQuery: boolean
  readonly hasLambda: boolean
}

/** Forms write the same templates again and again, but some have numbers and messages of a query in them. */
const MAX_TEMPLATES = 4_000
const templates = new Map<string, Template>()

/** What is known of a text in which the parts are slots. */
export function templateOf(text: string): Template {
  const known = templates.get(text)
  if (known) return known
  if (templates.size >= MAX_TEMPLATES) templates.clear()
  const template = readTemplate(text)
  templates.set(text, template)
  return template
}

/** Quoted text and names are passed over. */
const PIECES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|slot\$(\d+)/g
const MACRO_CALL = /^\(*(?!(?:cast|coalesce|list_extract|list_transform|struct_pack|try)\()\w+\(/i

function readTemplate(text: string): Template {
  const pieces: (string | number)[] = []
  let end = 0
  for (const found of text.matchAll(PIECES)) {
    if (found[1] === undefined) continue
    pieces.push(text.slice(end, found.index), Number(found[1]))
    end = found.index + found[0].length
  }
  pieces.push(text.slice(end))
  const parts = new Set(pieces.filter(piece => typeof piece === 'number'))
  const uses = new Map([...parts].map(part => [part, usesOf(text, slot(part))]))
  const read = [...uses.values()].reduce((sum, count) => sum + count, 0)
  const first = /^\(*slot\$(\d+)/.exec(text)?.[1]
  return {
    pieces,
    uses,
    size: sizeOfSql(text) - read,
    isOperand: isOperandText(text),
    isMacroCall: MACRO_CALL.test(text),
    first: first === undefined ? null : Number(first),
    hasSelect: text.includes('SELECT'),
    hasQuery: hasQuery(text),
    hasLambda: hasLambda(text),
  }
}

/** The template with the parts in its slots. */
export function fill(text: string, parts: readonly (Fragment | null)[]): Fragment {
  const template = templateOf(text)
  const [only, ...rest] = template.pieces.filter(piece => piece !== '')
  if (typeof only === 'number' && rest.length === 0) return parts[only]!
  const used = [...template.uses].map(([index, uses]) => ({ uses, part: parts[index]! }))
  const first = template.first === null ? null : parts[template.first]!
  return made(template.pieces.map(piece => (typeof piece === 'string' ? piece : parts[piece]!.text)).join(''), {
    size: template.size + used.reduce((sum, { uses, part }) => sum + uses * part.size, 0),
    isOperand: template.isOperand,
    isMacroCall: template.isMacroCall || (first?.isMacroCall ?? false),
    hasSelect: template.hasSelect || used.some(({ part }) => part.hasSelect),
    hasQuery: template.hasQuery || used.some(({ part }) => part.hasQuery),
    hasLambda: template.hasLambda || used.some(({ part }) => part.hasLambda),
  })
}

/** Parts are fragments, lists of them (with commas between), or words that are SQL as they are: names, types, keywords. */
export function fragment(
  strings: TemplateStringsArray,
  ...values: readonly (Fragment | readonly Fragment[] | string | number)[]
): Fragment {
  const parts: Fragment[] = []
  const text = strings.map((piece, i) => piece + (i < values.length ? slotsFor(values[i]!, parts) : '')).join('')
  return fill(text, parts)
}

function slotsFor(value: Fragment | readonly Fragment[] | string | number, parts: Fragment[]): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (!('text' in value)) return value.map(each => slotsFor(each, parts)).join(', ')
  return slot(parts.push(value) - 1)
}

/** Fragments one after another. */
export const joined = (parts: readonly Fragment[], separator: string): Fragment =>
  fill(parts.map((_, i) => slot(i)).join(separator), parts)

/** A literal, with its cast or without. */
export const literalFragment = (text: string, isCast: boolean): Fragment =>
  made(text, { size: isCast ? 2 : 1, isOperand: true })

/** A parameter, with its cast. */
export const parameterFragment = (text: string): Fragment => made(text, { size: 2 })

/** A column, a variable, or a field of one: names with dots between them. */
export const path = (text: string): Fragment => made(text, { size: 1, isOperand: true, isPath: true })

/** A query in parentheses, or what holds one. It is too large to be written twice. */
export const queryFragment = (text: string): Fragment =>
  made(text, { size: QUERY_SIZE, isOperand: true, hasSelect: true, hasQuery: true })
const QUERY_SIZE = 1_000

/** What no expression reads before it has a name: an aggregate, or a part of a select list. */
export const unread = (text: string): Fragment => made(text, { size: 1 })

/** The fragment with parentheses, where it needs them as an operand. */
export const asOperand = (sql: Fragment): Fragment => (sql.isOperand ? sql : fragment`(${sql})`)

export const withFields = (sql: Fragment, fields: NonNullable<Fragment['fields']>): Fragment =>
  made(sql.text, { ...sql, fields })

/** Whether SQL with these parts holds a lambda, or puts together a struct, beside those of its parts. */
export const writesLambda = (text: string): boolean => templateOf(text).hasLambda

type Known = Partial<Omit<Fragment, 'text' | 'toString'>> & Pick<Fragment, 'size'>

class Piece implements Fragment {
  readonly text: string
  readonly size: number
  readonly isOperand: boolean
  readonly isPath: boolean
  readonly isMacroCall: boolean
  readonly hasSelect: boolean
  readonly hasQuery: boolean
  readonly hasLambda: boolean
  declare readonly fields?: NonNullable<Fragment['fields']>

  constructor(text: string, known: Known) {
    this.text = text
    this.size = known.size
    this.isOperand = known.isOperand ?? false
    this.isPath = known.isPath ?? false
    this.isMacroCall = known.isMacroCall ?? false
    this.hasSelect = known.hasSelect ?? false
    this.hasQuery = known.hasQuery ?? false
    this.hasLambda = known.hasLambda ?? false
    if (known.fields) this.fields = known.fields
  }

  toString(): string {
    return this.text
  }
}

const made = (text: string, known: Known): Fragment => new Piece(text, known)
