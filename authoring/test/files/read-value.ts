/** YAML nodes of test files as values: rows of tables by the types of their columns, and rows as results have them. */

import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import {
  type ScalarKind,
  type StructField,
  type TableDefinition,
  type Type,
  typeName,
} from '../../../googlesql/index.js'
import { finderOf } from '../../../runner/engines/duckdb/tables/rows/column-name.js'
import { NUMBER_KINDS } from '../../../runner/engines/duckdb/tables/rows/json-row.js'
import { expectation, leafOfText } from '../../../runner/engines/duckdb/tables/rows/leaf.js'
import { UNLIMITED } from '../../../runner/engines/duckdb/tables/rows/row-schema.js'
import { describeValue, type More, quotedList } from '../../../runner/manifest/report.js'
import { didYouMean } from '../../../runner/model/suggest.js'

/** Called for each mistake; `node` is its place. */
export type ReportNode = (node: Node, message: string, more?: More) => void

/** A row of a table as NDJSON has it. */
export function readTableRow(
  node: Node,
  { name, columns, required, textForm }: TableDefinition,
  report: ReportNode,
): Record<string, unknown> {
  const reader: RowReader = { required: new Set(required), ignoresUnknown: textForm?.ignoresUnknown === true, report }
  return readStruct(node, columns, { name: `the table ${name}`, path: '' }, reader)
}

interface RowReader {
  /** As in `TableDefinition`. */
  readonly required: ReadonlySet<string>
  readonly ignoresUnknown: boolean
  readonly report: ReportNode
}

/** A record as messages name it, and the beginning of the paths of its fields: `items[].`. */
interface RecordPlace {
  readonly name: string
  readonly path: string
}

function readStruct(
  node: Node,
  fields: readonly StructField[],
  place: RecordPlace,
  reader: RowReader,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  if (!isMap(node)) return row
  const { report } = reader
  const find = finderOf(fields)
  let hasUnknown = false
  for (const { key, value } of node.items) {
    const name = String((key as Scalar).value)
    const field = find(name)
    if (field === undefined && reader.ignoresUnknown) continue
    if (field === undefined) {
      const names = fields.map(field => field.name)
      report(key as Node, `unknown column "${name}" in ${place.name}`, didYouMean(name, names))
      hasUnknown = true
      continue
    }
    if (Object.hasOwn(row, field.name)) report(key as Node, `"${name}" is in ${place.name} a second time`)
    const path = place.path + field.name
    if (isNull(value) && reader.required.has(path)) {
      report(key as Node, `"${field.name}" is REQUIRED in ${place.name}: give it a value`)
    }
    row[field.name] = readTyped(value as Node | null, field.type, { name: field.name, path }, reader)
  }
  const missing = fields.filter(({ name }) => reader.required.has(place.path + name) && !Object.hasOwn(row, name))
  // A misspelt name counts as one mistake, not also as a missing column.
  if (missing.length > 0 && !hasUnknown) {
    report(
      node,
      `${quotedList(missing.map(({ name }) => name))} ${missing.length === 1 ? 'is' : 'are'} REQUIRED in ${place.name}, and missing in this row`,
    )
  }
  return row
}

export const isNull = (node: unknown): boolean => node === null || (isScalar(node) && node.value === null)

function readTyped(node: Node | null, type: Type, place: RecordPlace, reader: RowReader): unknown {
  if (node === null || isNull(node)) return null
  const { name, path } = place
  const { report } = reader
  const refuse = (expected: string, what = ` is ${typeName(type)}`): null => {
    const found = isScalar(node) ? describeValue(node.value) : isSeq(node) ? 'a list' : 'a map'
    report(node, `"${name}"${what}: expected ${expected}, found ${found}`)
    return null
  }
  if (type.kind === 'ARRAY') {
    if (!isSeq(node)) return refuse('a list')
    return node.items.map(item => readTyped(item as Node, type.element, { name, path: `${path}[]` }, reader))
  }
  if (type.kind === 'STRUCT')
    return isMap(node)
      ? readStruct(node, type.fields, { name: `"${name}"`, path: `${path}.` }, reader)
      : refuse('a map')
  if (type.kind === 'JSON') return readPlain(node)
  if (!isScalar(node)) return refuse('a single value')
  const { value } = node
  if (type.kind === 'STRING') return textOf(node)
  if (!isValueOf(type.kind, node)) return refuse(expectation(type.kind, UNLIMITED), '')
  if (typeof value !== 'number' || !NUMBERS.includes(type.kind)) return value
  return Number.isFinite(value) ? exactValue(node) : String(value)
}

const NUMBERS: readonly string[] = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']

/** Whether the reader of files takes the value, with all its digits. */
function isValueOf(kind: ScalarKind, node: Scalar): boolean {
  const { value, source = '' } = node
  if (kind === 'BOOL') return /^(?:true|false)$/i.test(String(value))
  const isOfKind = typeof value === 'string' || (typeof value === 'number' && NUMBER_KINDS.has(kind))
  const isBeyond = Math.abs(Number(value)) === Number.POSITIVE_INFINITY && /\d/.test(source)
  return isOfKind && !isBeyond && leafOfText(kind, String(exactValue(node)), UNLIMITED) !== null
}

/** A node as a value of a result or of JSON. A number with more digits than JavaScript keeps becomes its text. */
export function readPlain(node: Node | null | undefined): unknown {
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => [String((key as Scalar).value), readPlain(value as Node | null)]),
    )
  }
  if (isSeq(node)) return node.items.map(item => readPlain(item as Node))
  if (!isScalar(node)) return null
  const value = exactValue(node)
  return typeof value === 'number' && !Number.isFinite(value) ? nonFiniteText(value) : value
}

/** How results write a FLOAT64 that is not finite. */
const nonFiniteText = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity')

/** The text of a scalar as an argument: as it is written. */
export function textOf(node: Scalar): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value ?? ''))
}

const MAX_EXACT_DIGITS = 15

function exactValue(node: Scalar): unknown {
  const { value, source } = node
  if (typeof value !== 'number' || source === undefined || !/^[+-]?[\d.]+$/.test(source)) return value
  if (source.includes('.') ? source.replace(/\D/g, '').length <= MAX_EXACT_DIGITS : Number.isSafeInteger(value)) {
    return value
  }
  // A FLOAT64 in its shortest form is exact, however many digits it has.
  return String(value) === source ? value : source
}
