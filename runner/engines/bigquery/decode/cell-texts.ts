/** Writes the cells of BigQuery's REST rows, `{ f: [{ v }, …] }`, as JSON, by functions compiled once from the columns' types. */
import type { Type } from '../../../../googlesql/index.js'
import type { ColumnPromise } from '../../../model/query.js'
import { objectKeys } from '../../../result/body.js'
import { NO_PROMISE, nullInRequired } from '../../../result/broken-contract.js'
import { type ScalarOptions, scalarTexts } from '../../../result/scalar-text.js'
import type { ResultField } from './result-columns.js'
import { scalarCell } from './scalar-cell.js'
import { unexpected, within } from './unexpected-cell.js'

type Timestamps = ScalarOptions['timestamps']

/** The JSON text of a value: of a row, or of the `v` of a cell. @throws UnexpectedCellError and BrokenContractError. */
export type ValueText = (v: unknown) => string

/** For rows and STRUCTs with these fields. @param contract what is promised of each field, in order */
export function recordText(
  fields: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
  other: ValueText = () => {
    throw unexpected('STRUCT')
  },
): ValueText {
  const keys = objectKeys(fields.map(field => field.name))
  const values = fields.map((field, i) => valueText(field, field.type, timestamps, contract[i] ?? NO_PROMISE))
  return record => {
    const cells: unknown = (record as { readonly f?: unknown } | null)?.f
    if (!Array.isArray(cells)) return other(record)
    let text = keys.length === 0 ? '{' : ''
    let i = 0
    try {
      for (; i < keys.length; i++) text += keys[i]! + values[i]!(cellValue(cells[i]))
    } catch (error) {
      throw within(fields[i]!.name, error)
    }
    if (cells.length > keys.length) throw unexpected('no further value')
    return `${text}}`
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
  const other = (v: unknown): string => {
    if (v !== null || !field.isNullable) throw unexpected(v === null ? `${type.kind} that is not NULL` : type.kind)
    if (required) throw nullInRequired()
    return 'null'
  }
  switch (type.kind) {
    case 'ARRAY': {
      const element = valueText(field, type.element, timestamps, { ...NO_PROMISE, fields })
      return v => (Array.isArray(v) ? `[${v.map(cell => element(cellValue(cell))).join()}]` : other(v))
    }
    case 'STRUCT':
      return recordText(field.fields, timestamps, fields, other)
    default: {
      const text = scalarCell(type.kind, scalarTexts({ timestamps, numbers: json }))
      const write = required && type.kind === 'JSON' ? (v: string): string => presentJson(text(v)) : text
      return v => (typeof v === 'string' ? write(v) : other(v))
    }
  }
}

/** A JSON null is a NULL to the readers of every format. */
function presentJson(json: string): string {
  if (json === 'null') throw nullInRequired()
  return json
}
