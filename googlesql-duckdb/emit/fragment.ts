/**
 * A piece of generated SQL together with facts about it, so that its text never has to be parsed. The facts are computed from the facts of
 * the fragment's parts, and from the template: the text around the parts. Each template is parsed once, like each macro.
 */
import { BoundedMap, memo } from '../../googlesql/data.js'
import { factsOf } from './macro-usage.js'
import { isOperandText } from './operand.js'

type Facts = Partial<Omit<Fragment, 'text' | 'toString'>> & Pick<Fragment, 'size'>

export class Fragment {
  readonly text: string
  /** The number of names and literals that DuckDB's binder processes, including those in the bodies of macros. */
  readonly size: number
  /** Whether the text needs no parentheses as an operand. */
  readonly isOperand: boolean
  /** Whether the text is a name, or names joined by dots. */
  readonly isPath: boolean
  /** Whether the text begins with a call of a function that may be a macro, see keep-name.ts. */
  readonly isMacroCall: boolean
  /** Whether the text contains a subquery. */
  readonly hasSelect: boolean
  /** Whether the text, or a macro that it calls, contains a subquery. */
  readonly hasQuery: boolean
  /** Whether the text, or a macro that it calls, contains a lambda or builds a struct. */
  readonly hasLambda: boolean
  /** The fields, where the fragment is a struct_pack call. */
  declare readonly fields?: readonly { readonly name: string; readonly sql: Fragment }[]

  constructor(text: string, facts: Facts) {
    this.text = text
    this.size = facts.size
    this.isOperand = facts.isOperand ?? false
    this.isPath = facts.isPath ?? false
    this.isMacroCall = facts.isMacroCall ?? false
    this.hasSelect = facts.hasSelect ?? false
    this.hasQuery = facts.hasQuery ?? false
    this.hasLambda = facts.hasLambda ?? false
    if (facts.fields) this.fields = facts.fields
  }

  /** The text, so that a fragment may stand in a template of text. */
  toString(): string {
    return this.text
  }
}

/**
 * The placeholder for the part with this index in a template. It cannot be a column, an alias or a variable, since their names
 * have no `$` before a digit.
 */
export const slot = (index: number): string => `slot$${index}`

type Template = ReturnType<typeof readTemplate>

/** The cache is bounded: most templates recur, but some contain numbers and messages of one query. */
const templates = new BoundedMap<string, Template>(4_000)

/** The facts about a text that has slots in place of its parts. */
export const templateOf = (text: string): Template => memo(templates, text, readTemplate)

/** Matches a slot. Quoted text and quoted names match as a whole, without a group, so that a slot inside them is not found. */
const PIECES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|slot\$(\d+)/g
const MACRO_CALL = /^\(*(?!(?:cast|coalesce|list_extract|list_transform|struct_pack|try)\()\w+\(/i

function readTemplate(text: string) {
  const pieces: (string | number)[] = []
  let end = 0
  for (const match of text.matchAll(PIECES)) {
    if (match[1] === undefined) continue
    pieces.push(text.slice(end, match.index), Number(match[1]))
    end = match.index + match[0].length
  }
  pieces.push(text.slice(end))
  const facts = factsOf(text)
  const parts = new Set(pieces.filter(piece => typeof piece === 'number'))
  const uses = new Map([...parts].map(part => [part, facts.uses.get(slot(part)) ?? 0]))
  const partReads = [...uses.values()].reduce((sum, count) => sum + count, 0)
  const first = /^\(*slot\$(\d+)/.exec(text)?.[1]
  return {
    /** The text between the slots and the indexes of the parts, alternating. */
    pieces,
    /** How often DuckDB computes each part. */
    uses,
    /** The size of the text without its parts. */
    size: facts.size - partReads,
    isOperand: isOperandText(text),
    isMacroCall: MACRO_CALL.test(text),
    /** The index of the part with which the text begins, after any opening parentheses; null where it begins with other text. */
    first: first === undefined ? null : Number(first),
    hasSelect: text.includes('SELECT'),
    hasQuery: facts.hasQuery,
    hasLambda: facts.hasLambda,
  }
}

/** The template with each slot replaced by its part. */
export function fill(text: string, parts: readonly (Fragment | null)[]): Fragment {
  const template = templateOf(text)
  const [only, ...rest] = template.pieces.filter(piece => piece !== '')
  if (typeof only === 'number' && rest.length === 0) return parts[only]!
  const used = [...template.uses].map(([index, uses]) => ({ uses, part: parts[index]! }))
  const first = template.first === null ? null : parts[template.first]!
  return new Fragment(template.pieces.map(piece => (typeof piece === 'string' ? piece : parts[piece]!.text)).join(''), {
    size: template.size + used.reduce((sum, { uses, part }) => sum + uses * part.size, 0),
    isOperand: template.isOperand,
    isMacroCall: template.isMacroCall || (first?.isMacroCall ?? false),
    hasSelect: template.hasSelect || used.some(({ part }) => part.hasSelect),
    hasQuery: template.hasQuery || used.some(({ part }) => part.hasQuery),
    hasLambda: template.hasLambda || used.some(({ part }) => part.hasLambda),
  })
}

/**
 * A tag for template literals. A value is a fragment, a list of fragments (which is joined by commas), or a number or a text
 * that is SQL already: a name, a type, a keyword.
 */
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

/** The fragments, joined by the separator. */
export const joinSql = (parts: readonly Fragment[], separator: string): Fragment =>
  fill(parts.map((_, i) => slot(i)).join(separator), parts)

/** A literal, with its cast or without. */
export const literalFragment = (text: string, isCast: boolean): Fragment =>
  new Fragment(text, { size: isCast ? 2 : 1, isOperand: true })

/** A parameter, with its cast. */
export const parameterFragment = (text: string): Fragment => new Fragment(text, { size: 2 })

/** A column, a variable, or a field of one: names with dots between them. */
export const path = (text: string): Fragment => new Fragment(text, { size: 1, isOperand: true, isPath: true })

/**
 * A query in parentheses, or SQL that contains one. Its `size` is so large that it is not written twice where a lambda can
 * share it.
 */
export const queryFragment = (text: string): Fragment =>
  new Fragment(text, { size: QUERY_SIZE, isOperand: true, hasSelect: true, hasQuery: true })
const QUERY_SIZE = 1_000

/**
 * SQL whose facts are not needed, since no expression contains it: an aggregate, which expressions read by its column's name, or a clause
 * such as ORDER BY.
 */
export const textFragment = (text: string): Fragment => new Fragment(text, { size: 1 })

/** The fragment with parentheses, where it needs them as an operand. */
export const asOperand = (sql: Fragment): Fragment => (sql.isOperand ? sql : fragment`(${sql})`)

export const withFields = (sql: Fragment, fields: NonNullable<Fragment['fields']>): Fragment =>
  new Fragment(sql.text, { ...sql, fields })

/** Whether the template itself, without its parts, contains a lambda or builds a struct. */
export const writesLambda = (text: string): boolean => templateOf(text).hasLambda
