/** Writes the cells of BigQuery's REST rows as bytes of JSON, by functions compiled once for each column's type. */
import { type JsonBytes, type Token, tokenOf } from '../../encode/json-bytes.js'
import { objectKeys } from '../../encode/row-writer.js'
import { type ScalarOptions, type ScalarTexts, scalarTexts } from '../../encode/scalar-text.js'
import type { ScalarKind, StructField, Type } from '../../googlesql/types.js'
import type { ResultFormat } from '../../model/query.js'
import { scalarOf, scalarText, unexpected } from './cell-text.js'
import type { RestRow } from './rest.js'

type Timestamps = ScalarOptions['timestamps']

/** Writes a row with what its format puts around it, save the separator. */
export type RowBytes = (out: JsonBytes, row: RestRow) => void

/** @throws, when it runs, UnexpectedCellError and ValueError. */
export function compileRowBytes(
  columns: readonly StructField[],
  format: Exclude<ResultFormat, 'csv'>,
  timestamps: Timestamps,
): RowBytes {
  const texts = scalarTexts({ style: 'json', timestamps })
  const types = columns.map(column => column.type)
  if (format === 'arrays') {
    return cellsWriter(
      members(
        types.map((type, i) => [i === 0 ? '[' : ',', type]),
        texts,
      ),
      { empty: '[', end: ']' },
    )
  }
  const end = format === 'ndjson' ? '}\n' : '}'
  return cellsWriter(objectMembers(columns, texts), { empty: '{', end })
}

/** Writes a value and what stands before it. */
type Write = (out: JsonBytes, v: unknown) => void

/** Most values are strings; for them no function is called that only their type tells. */
interface Member {
  readonly isString: boolean
  readonly withNull: Token
  readonly withQuote: Token
  readonly write: Write
}

function members(typed: readonly (readonly [before: string, type: Type])[], texts: ScalarTexts): readonly Member[] {
  return typed.map(([before, type]) => ({
    isString: type.kind === 'STRING',
    withNull: tokenOf(`${before}null`),
    withQuote: tokenOf(`${before}"`),
    write: valueWriter(type, before, texts),
  }))
}

function objectMembers(fields: readonly StructField[], texts: ScalarTexts): readonly Member[] {
  const keys = objectKeys(fields.map(field => field.name))
  return members(
    fields.map((field, i) => [keys[i]!, field.type]),
    texts,
  )
}

function valueWriter(type: Type, before: string, texts: ScalarTexts): Write {
  switch (type.kind) {
    case 'ARRAY':
      return arrayWriter(type.element, before, texts)
    case 'STRUCT':
      return structWriter(type.fields, before, texts)
    default:
      return scalarWriter(type.kind, before, texts)
  }
}

function scalarWriter(kind: ScalarKind, before: string, texts: ScalarTexts): Write {
  const text = scalarText(kind, texts)
  const [withNull, without] = [tokenOf(`${before}null`), tokenOf(before)]
  return (out, v) => {
    if (v === null || v === undefined) return out.token(withNull)
    out.token(without)
    out.plain(text(scalarOf(v, kind)))
  }
}

/** A NULL array is an empty one in results. */
function arrayWriter(element: Type, before: string, texts: ScalarTexts): Write {
  const [empty, end] = [tokenOf(`${before}[]`), tokenOf(']')]
  const first = valueWriter(element, `${before}[`, texts)
  const other = valueWriter(element, ',', texts)
  return (out, v) => {
    if (v === null || v === undefined) return out.token(empty)
    if (!Array.isArray(v)) throw unexpected('ARRAY')
    const cells: readonly unknown[] = v
    if (cells.length === 0) return out.token(empty)
    first(out, cellValue(cells[0]))
    for (let i = 1; i < cells.length; i++) other(out, cellValue(cells[i]))
    out.token(end)
  }
}

function structWriter(fields: readonly StructField[], before: string, texts: ScalarTexts): Write {
  const withNull = tokenOf(`${before}null`)
  const without = tokenOf(before)
  const write = cellsWriter(objectMembers(fields, texts), { empty: '{', end: '}' })
  return (out, v) => {
    if (v === null || v === undefined) return out.token(withNull)
    out.token(without)
    write(out, v as RestRow)
  }
}

/** `empty` is what a row or a struct without members begins with. */
function cellsWriter(
  cellMembers: readonly Member[],
  texts: { readonly empty: string; readonly end: string },
): RowBytes {
  const end = tokenOf(cellMembers.length === 0 ? texts.empty + texts.end : texts.end)
  return (out, { f: cells }) => {
    if (!Array.isArray(cells) || cells.length !== cellMembers.length) throw unexpected('STRUCT')
    for (let i = 0; i < cellMembers.length; i++) {
      const member = cellMembers[i]!
      const v = cellValue(cells[i])
      if (!member.isString) member.write(out, v)
      else if (typeof v === 'string') out.string(member.withQuote, v)
      else if (v === null || v === undefined) out.token(member.withNull)
      else throw unexpected('STRING')
    }
    out.token(end)
  }
}

function cellValue(cell: unknown): unknown {
  return (cell as { readonly v?: unknown } | null)?.v
}
