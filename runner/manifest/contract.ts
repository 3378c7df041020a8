/** The row contract: what `columns:` declares, and what the queries of all variants show where it declares nothing. */
import type { ContractColumn } from '../model/endpoint.js'
import type { Column } from '../model/manifest.js'
import type { CheckedColumn, ColumnPromise } from '../model/query.js'
import type { CheckedSql } from './check/rule.js'

/** The columns in order. The declared ones, if any, must have the names and order of every variant's columns. */
export function compileContract(declared: readonly Column[] | undefined, checked: readonly CheckedSql[]) {
  const variants = [...new Set(checked.map(({ columns }) => columns))]
  // What a variant shows of a column counts only where all variants show it.
  const columns: readonly Column[] = declared ?? (variants[0] ?? []).map(({ name, type }) => ({ name, type }))
  const contract = columns.map((column, i) => {
    const shown = variants.map(variant => variant[i]!)
    return Object.freeze(contractOf(column, shown))
  })
  return Object.freeze(contract)
}

function contractOf(column: Column, found: readonly CheckedColumn[]): ContractColumn {
  const { name, description = '', unit = null } = column
  const common = commonType(found)
  const type = common ?? column.type
  const fields = common === null ? undefined : commonFields(found)
  const isNumber = found.length > 0 && found.every(one => one.json === 'number')
  return {
    name,
    type,
    description,
    required: column.required ?? (found.length > 0 && found.every(one => one.required === true)),
    json: column.json ?? (isNumber ? 'number' : DECIMAL.test(type) ? 'string' : null),
    unit,
    ...(fields && { fields }),
  }
}

const DECIMAL = /^(?:BIG)?NUMERIC$/

/** What all variants show of the fields of one type; undefined where that is nothing. */
function commonFields(found: readonly Pick<ColumnPromise, 'fields'>[]): readonly ColumnPromise[] | undefined {
  if (!found.every(one => one.fields)) return undefined
  const fields = found[0]?.fields?.map((_, i): ColumnPromise => {
    const each = found.map(one => one.fields![i]!)
    const within = commonFields(each)
    return Object.freeze({
      required: each.every(field => field.required),
      json: each.every(field => field.json === 'number') ? 'number' : null,
      ...(within && { fields: within }),
    })
  })
  return fields?.some(field => field.required || field.json || field.fields) ? Object.freeze(fields) : undefined
}

/** The type that all variants agree on. */
function commonType(found: readonly CheckedColumn[]): string | null {
  const [first] = found
  return first !== undefined && found.every(({ type }) => type === first.type) ? first.type : null
}
