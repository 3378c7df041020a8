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
    const versions = variants.map(variant => variant[i]!)
    return Object.freeze(contractOf(column, versions))
  })
  return Object.freeze(contract)
}

/** @param versions the column as each variant has it */
function contractOf(column: Column, versions: readonly CheckedColumn[]): ContractColumn {
  const { name, description = '', unit = null } = column
  const [first, ...others] = versions
  const commonType = first && others.every(({ type }) => type === first.type) ? first.type : null
  const type = commonType ?? column.type
  const fields = commonType === null ? undefined : commonFields(versions)
  const isNumber = versions.length > 0 && versions.every(({ json }) => json === 'number')
  return {
    name,
    type,
    description,
    required: column.required ?? (versions.length > 0 && versions.every(({ required }) => required === true)),
    json: column.json ?? (isNumber ? 'number' : DECIMAL.test(type) ? 'string' : null),
    unit,
    ...(fields && { fields }),
  }
}

const DECIMAL = /^(?:BIG)?NUMERIC$/

/** What all variants show of a column's fields; undefined where they show nothing. */
function commonFields(versions: readonly Pick<ColumnPromise, 'fields'>[]): readonly ColumnPromise[] | undefined {
  if (!versions.every(column => column.fields)) return undefined
  const fields = versions[0]?.fields?.map((_, i): ColumnPromise => {
    const variantFields = versions.map(column => column.fields![i]!)
    const innerFields = commonFields(variantFields)
    return Object.freeze({
      required: variantFields.every(field => field.required),
      json: variantFields.every(field => field.json === 'number') ? 'number' : null,
      ...(innerFields && { fields: innerFields }),
    })
  })
  return fields?.some(field => field.required || field.json || field.fields) ? Object.freeze(fields) : undefined
}
