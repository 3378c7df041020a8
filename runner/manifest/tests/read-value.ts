/** YAML nodes of test files as values: rows of tables by the types of their columns, and rows as results have them. */
import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import { type StructField, type Type, typeName } from '../../../googlesql/index.js'
import { describeValue, didYouMean } from '../report.js'

/** Called for each mistake; `node` is its place. */
export type ReportNode = (node: Node, message: string) => void

/** A row of a table as NDJSON has it. */
export function readTableRow(
  node: Node,
  columns: readonly StructField[],
  table: string,
  report: ReportNode,
): Record<string, unknown> {
  return readStruct(node, columns, `the table ${table}`, report)
}

function readStruct(
  node: Node,
  fields: readonly StructField[],
  place: string,
  report: ReportNode,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  if (!isMap(node)) return row
  for (const { key, value } of node.items) {
    const name = String((key as Scalar).value)
    const field = fields.find(one => one.name.toLowerCase() === name.toLowerCase())
    if (field === undefined) {
      const hint = didYouMean(
        name,
        fields.map(one => one.name),
      )
      report(key as Node, `unknown column "${name}" in ${place}${hint}`)
      continue
    }
    row[field.name] = readTyped(value as Node | null, field.type, field.name, report, key as Node)
  }
  return row
}

/** `key` is the place of a value that is left out. */
function readTyped(node: Node | null, type: Type, name: string, report: ReportNode, key: Node): unknown {
  if (node === null || (isScalar(node) && node.value === null)) return null
  const refuse = (expected: string): null => {
    const found = isScalar(node) ? describeValue(node.value) : isSeq(node) ? 'a list' : 'a map'
    report(node, `"${name}" is ${typeName(type)}: expected ${expected}, found ${found}`)
    return null
  }
  if (type.kind === 'ARRAY') {
    if (!isSeq(node)) return refuse('a list')
    return node.items.map(item => readTyped(item as Node, type.element, name, report, key))
  }
  if (type.kind === 'STRUCT') return isMap(node) ? readStruct(node, type.fields, `"${name}"`, report) : refuse('a map')
  if (type.kind === 'JSON') return readPlain(node)
  if (!isScalar(node)) return refuse('a single value')
  const { value } = node
  switch (type.kind) {
    case 'STRING':
      return textOf(node)
    case 'BOOL':
      return typeof value === 'boolean' || /^(?:true|false)$/i.test(String(value)) ? value : refuse('true or false')
    case 'INT64':
      return /^[+-]?\d+$/.test(String(exact(node))) ? exact(node) : refuse('an integer')
    case 'FLOAT64':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      if (typeof value === 'number') return Number.isFinite(value) ? exact(node) : String(value)
      return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$|^(?:nan|[+-]?inf(?:inity)?)$/i.test(String(value))
        ? value
        : refuse('a number')
    case 'DATE':
    case 'DATETIME':
      return /^\d{1,4}-\d\d?-\d\d?/.test(String(value)) ? value : refuse('a date such as 2026-01-31')
    case 'TIMESTAMP':
      if (typeof value === 'number') return value
      return /^\d{1,4}-\d\d?-\d\d?/.test(String(value)) ? value : refuse('a time such as 2026-01-31T12:00:00Z')
    default:
      return typeof value === 'boolean' ? refuse('text') : value
  }
}

/** The value that a result has, or JSON: a number of more digits than a number of JavaScript keeps is its text. */
export function readPlain(node: Node | null | undefined): unknown {
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => [String((key as Scalar).value), readPlain(value as Node | null)]),
    )
  }
  if (isSeq(node)) return node.items.map(item => readPlain(item as Node))
  if (!isScalar(node)) return null
  const value = exact(node)
  return typeof value === 'number' && !Number.isFinite(value) ? nonFiniteText(value) : value
}

/** How results write a FLOAT64 that is not finite. */
const nonFiniteText = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity')

/** The text of a scalar as an argument: as it is written. */
export function textOf(node: Scalar): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value ?? ''))
}

const MAX_EXACT_DIGITS = 15

function exact(node: Scalar): unknown {
  const { value, source } = node
  if (typeof value !== 'number' || source === undefined || !/^[+-]?[\d.]+$/.test(source)) return value
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : source.replace(/\D/g, '').length <= MAX_EXACT_DIGITS) {
    return value
  }
  // A FLOAT64 in its shortest form is exact, however many digits it has.
  return String(value) === source ? value : source
}
