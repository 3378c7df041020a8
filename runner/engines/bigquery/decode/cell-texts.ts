/** Writes the cells of BigQuery's REST rows, `{ f: [{ v }, …] }`, as JSON, by functions compiled once from the columns' types. */
import type { Type } from '../../../../googlesql/index.js'
import type { ColumnPromise } from '../../../model/query.js'
import { objectText } from '../../../result/body.js'
import { NO_PROMISE, nullInRequired } from '../../../result/broken-contract.js'
import { type ScalarOptions, scalarTexts } from '../../../result/scalar-text.js'
import type { ResultField } from './result-columns.js'
import { scalarCell } from './scalar-cell.js'
import { unexpected, withField } from './unexpected-cell.js'

type Timestamps = ScalarOptions['timestamps']

/** The JSON text of the `v` of a cell. @throws UnexpectedCellError and BrokenContractError. */
export type ValueText = (v: unknown) => string

/** The texts of the values of a row or a STRUCT; T for any other value. @throws UnexpectedCellError and BrokenContractError. */
type RecordCells<T> = (record: unknown) => readonly string[] | T

/** The function for rows with these columns. @param contract the promise about each column, in order */
export function rowCells(
  columns: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
): RecordCells<never> {
  const cellsOf = recordCells(columns, timestamps, contract)
  return row => {
    const cells = cellsOf(row)
    if (cells === null) throw unexpected('STRUCT')
    return cells
  }
}

/** The function for rows or STRUCTs with these fields. It gives null for any other value. */
function recordCells(
  fields: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
): RecordCells<null> {
  const values = fields.map((field, i) => valueText(field, field.type, timestamps, contract[i] ?? NO_PROMISE))
  return record => {
    const cells: unknown = (record as { readonly f?: unknown } | null)?.f
    if (!Array.isArray(cells)) return null
    const texts: string[] = []
    try {
      for (const value of values) texts.push(value(cellValue(cells[texts.length])))
    } catch (error) {
      throw withField(fields[texts.length]!.name, error)
    }
    if (cells.length > texts.length) throw unexpected('no further value')
    return texts
  }
}

function structText(
  fields: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
  writeOther: ValueText,
): ValueText {
  const [cellsOf, write] = [recordCells(fields, timestamps, contract), objectText(fields.map(({ name }) => name))]
  return record => {
    const cells = cellsOf(record)
    return cells === null ? writeOther(record) : write(cells)
  }
}

function cellValue(cell: unknown): unknown {
  const v = (cell as { readonly v?: unknown } | null | undefined)?.v
  if (v === undefined) throw unexpected('a value')
  return v
}

/** @param type the field's type, or that of its elements */
function valueText(field: ResultField, type: Type, timestamps: Timestamps, promise: ColumnPromise): ValueText {
  const { required, json, fields = [] } = promise
  const writeOther = (v: unknown): string => {
    if (v !== null || !field.isNullable) throw unexpected(v === null ? `${type.kind} that is not NULL` : type.kind)
    if (required) throw nullInRequired()
    return 'null'
  }
  switch (type.kind) {
    case 'ARRAY': {
      const element = valueText(field, type.element, timestamps, { ...NO_PROMISE, fields })
      return v => (Array.isArray(v) ? `[${v.map(cell => element(cellValue(cell))).join()}]` : writeOther(v))
    }
    case 'STRUCT':
      return structText(field.fields, timestamps, fields, writeOther)
    default: {
      const text = scalarCell(type.kind, scalarTexts({ timestamps, numbers: json }))
      const write = required && type.kind === 'JSON' ? (v: string): string => requireJson(text(v)) : text
      return v => (typeof v === 'string' ? write(v) : writeOther(v))
    }
  }
}

/** A JSON null is a NULL to the readers of every format. */
function requireJson(json: string): string {
  if (json === 'null') throw nullInRequired()
  return json
}
