/** Finds columns of a result that have the name of an earlier one. BigQuery numbers them: `sales`, `sales_1`. */
import {
  impliedName,
  orMistake,
  parseScript,
  type QueryBody,
  type SelectItem,
  SqlError,
} from '../../../googlesql/index.js'

/**
 * @param names the names of the result's columns, in order
 * @returns the name of each as the result has it, with its number, and as the query has `written` it; the offsets in the SQL of
 *   this name, and of the first column with this name
 */
export function repeatedColumns(sql: string, names: readonly string[]) {
  const written = writtenNames(sql)
  const isWritten = new Set(written.map(({ name }) => name.toLowerCase()))
  return names.flatMap(name => {
    const [, base, number] = /^(.+)_([1-9]\d*)$/.exec(name) ?? []
    if (base === undefined || isWritten.has(name.toLowerCase())) return []
    const equal = written.filter(other => other.name.toLowerCase() === base.toLowerCase())
    const repeated = equal[Number(number)]
    return repeated ? [{ name, written: repeated.name, at: repeated.at, first: equal[0]!.at }] : []
  })
}

interface WrittenName {
  readonly name: string
  readonly at: number
}

function writtenNames(sql: string): readonly WrittenName[] {
  const script = orMistake(() => parseScript(sql))
  // BigQuery may accept what cannot be parsed here.
  if (script instanceof SqlError) return []
  return itemsOf(script.query).flatMap(item => (item.kind === 'star' ? [] : writtenName(item)))
}

function writtenName({ alias, expression }: SelectItem & { readonly kind: 'expression' }): readonly WrittenName[] {
  const { at } = alias ?? (expression.kind === 'dot' ? expression.name : expression)
  const name = alias?.name ?? impliedName(expression)
  return name === '' ? [] : [{ name, at }]
}

/** The SELECT list that names the columns of the result; empty where pipe operators name them. */
function itemsOf(body: QueryBody): readonly SelectItem[] {
  switch (body.kind) {
    case 'select':
      return body.as === null ? body.items : []
    case 'query':
      return body.pipes.length === 0 ? itemsOf(body.body) : []
    case 'from':
      return []
    default:
      return body.inputs[0] ? itemsOf(body.inputs[0]) : []
  }
}
