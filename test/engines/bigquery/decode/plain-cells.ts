/** The JSON text of BigQuery's cells by way of JSON.parse, to compare the encoder of bytes with. */

import type { ScalarKind, Type } from '../../../../googlesql/index.js'
import type { ResultField } from '../../../../runner/engines/bigquery/decode/result-columns.js'
import { scalarCell } from '../../../../runner/engines/bigquery/decode/scalar-cell.js'
import { unexpected, within } from '../../../../runner/engines/bigquery/decode/unexpected-cell.js'
import { objectKeys } from '../../../../runner/result/body.js'
import { type ScalarTexts, scalarTexts } from '../../../../runner/result/scalar-text.js'

/** The JSON text of the cell whose `v` this is. */
type JsonText = (v: unknown) => string

/** @throws, when it runs, UnexpectedCellError. */
export const compileCell = (field: ResultField, timestamps: 'iso8601' | 'unix_micros'): JsonText =>
  jsonText(field, field.type, scalarTexts({ timestamps, numbers: null }))

/** `type`: the field's, or of its elements. */
function jsonText(field: ResultField, type: Type, texts: ScalarTexts): JsonText {
  if (type.kind === 'ARRAY') return arrayText(field, type.element, texts)
  const text = type.kind === 'STRUCT' ? structText(field.fields, texts) : scalarText(type.kind, texts)
  return v => (v === null && field.isNullable ? 'null' : text(v))
}

/** A NULL array is an empty one in results already. */
function arrayText(field: ResultField, element: Type, texts: ScalarTexts): JsonText {
  const item = jsonText(field, element, texts)
  return v => {
    if (!Array.isArray(v)) throw unexpected('ARRAY')
    return `[${v.map(cell => item(cellValue(cell))).join(',')}]`
  }
}

function structText(fields: readonly ResultField[], texts: ScalarTexts): JsonText {
  const keys = objectKeys(fields.map(field => field.name))
  const members = fields.map(field => jsonText(field, field.type, texts))
  return v => {
    let text = fields.length === 0 ? '{' : ''
    eachCell(v, fields, (value, i) => {
      text += keys[i]! + members[i]!(value)
    })
    return `${text}}`
  }
}

/** Calls `read` with each value of a row or a STRUCT, which has as many as there are fields. @throws UnexpectedCellError. */
function eachCell(v: unknown, fields: readonly ResultField[], read: (value: unknown, index: number) => void): void {
  const cells: unknown = (v as { readonly f?: unknown } | null)?.f
  if (!Array.isArray(cells)) throw unexpected('STRUCT')
  if (cells.length > fields.length) throw unexpected('no further value')
  let i = 0
  try {
    for (; i < fields.length; i++) read(cellValue(cells[i]), i)
  } catch (error) {
    throw within(fields[i]!.name, error)
  }
}

function cellValue(cell: unknown): unknown {
  const v = (cell as { readonly v?: unknown } | null | undefined)?.v
  if (v === undefined) throw unexpected('a value')
  return v
}

function scalarText(kind: ScalarKind, texts: ScalarTexts): JsonText {
  return v => {
    if (typeof v !== 'string') throw unexpected(kind)
    return scalarCell(kind, v, texts)
  }
}
