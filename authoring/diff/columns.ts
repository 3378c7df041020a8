/** Compares the columns of an endpoint as compiled contracts: types with all fields, and declared and inferred promises. */
import { ANY_STRUCT, parseOpenTypeName, type Type } from '../../googlesql/index.js'
import type { ContractColumn } from '../../runner/model/endpoint.js'
import type { Manifest } from '../../runner/model/manifest.js'
import type { ColumnPromise } from '../../runner/model/query.js'
import { alignRows, pairChanges } from '../test/files/align-rows.js'
import type { Report } from './change-rules.js'
import { show } from './show.js'

export function diffColumns(base: readonly ContractColumn[], head: readonly ContractColumn[], report: Report): void {
  const [before, after] = [byName(base), byName(head)]
  const renamed = renamedColumns(base, head)
  for (const column of base) {
    const { name, type } = column
    const newName = renamed.get(name)
    const other = after.get(newName ?? name)
    if (newName !== undefined) report('column/renamed', `the column ${name} was renamed to ${newName}`)
    if (other === undefined) report('column/removed', `the column ${name} (${type}) is gone`)
    else diffColumn(column, other, report)
  }
  const newNames = new Set(renamed.values())
  for (const { name, type } of head) {
    if (!before.has(name) && !newNames.has(name)) report('column/added', `the column ${name} (${type}) is new`)
  }
  const namesAlsoIn = (columns: readonly ContractColumn[], others: ReadonlyMap<string, unknown>): string =>
    columns.flatMap(({ name }) => (others.has(name) ? [name] : [])).join(', ')
  const [oldOrder, newOrder] = [namesAlsoIn(base, after), namesAlsoIn(head, before)]
  if (oldOrder !== newOrder) report('column/moved', `the order of columns is ${newOrder}; it was ${oldOrder}`)
}

/** The columns with only the declared promises: inferred promises exist only for queries that resolve here. */
export const withDeclaredPromises = (
  columns: readonly ContractColumn[],
  { columns: declared = [] }: Manifest,
): readonly ContractColumn[] =>
  columns.map(({ fields: _, ...column }) => {
    const declaration = declared.find(({ name }) => name === column.name)
    const json = column.type === 'INT64' ? (declaration?.json ?? null) : column.json
    return { ...column, required: declaration?.required ?? false, json }
  })

const byName = (columns: readonly ContractColumn[]): ReadonlyMap<string, ContractColumn> =>
  new Map(columns.map(column => [column.name, column]))

/** New names by old names: a removed column counts as renamed if a column of the same type was added in its place. */
function renamedColumns(base: readonly ContractColumn[], head: readonly ContractColumn[]): ReadonlyMap<string, string> {
  const names = (columns: readonly ContractColumn[]): readonly string[] => columns.map(({ name }) => name)
  const [before, after] = [byName(base), byName(head)]
  const pairs = pairChanges(alignRows(names(base), names(head)))
  return new Map(
    pairs.flatMap(({ expected, found }) => {
      if (expected === null || found === null) return []
      const [removed, added] = [base[expected]!, head[found]!]
      const isRenamed = !after.has(removed.name) && !before.has(added.name) && removed.type === added.type
      return isRenamed ? [[removed.name, added.name] as const] : []
    }),
  )
}

function diffColumn(base: ContractColumn, head: ContractColumn, report: Report): void {
  const { name } = head
  if (base.type !== head.type) diffTypes(name, base.type, head.type, report)
  // Numbers of another type have another form anyway.
  diffPromise(name, base, base.type === head.type ? head : { ...head, json: base.json }, report)
  if (base.type === head.type) diffFields(name, parseOpenTypeName(head.type), base, head, report)
  if (base.unit !== head.unit) {
    if (base.unit === null) report('column/described', `the unit of ${name} is ${show(head.unit)}`)
    else report('column/unit', `the unit of ${name} is ${show(head.unit ?? undefined)}; it was ${show(base.unit)}`)
  }
  if (base.description !== head.description) report('column/described', `the description of ${name} changed`)
}

/** Compares whether a value may be NULL, and how JSON writes its numbers. */
function diffPromise(name: string, base: ColumnPromise, head: ColumnPromise, report: Report): void {
  if (base.required && !head.required) report('column/widened', `${name} may be NULL; it was required`)
  if (!base.required && head.required) report('column/narrowed', `${name} is required`)
  if (base.json === head.json) return
  const [now, then] = [JSON_FORMS[head.json ?? 'any'], JSON_FORMS[base.json ?? 'any']]
  const isNarrower = base.json === null && head.json === 'number'
  const what = `JSON has the values of ${name} ${now}; it had them ${then}`
  report(isNarrower ? 'column/narrowed' : 'column/widened', what)
}

/** Compares the promises of the fields of a STRUCT, to which `path` leads. */
function diffFields(
  path: string,
  type: Type | undefined,
  base: ColumnPromise,
  head: ColumnPromise,
  report: Report,
): void {
  const record = type?.kind === 'ARRAY' ? type.element : type
  if (record?.kind !== 'STRUCT') return
  record.fields.forEach((field, i) => {
    const [before, after] = [base.fields?.[i] ?? NO_PROMISE, head.fields?.[i] ?? NO_PROMISE]
    const name = `${path}.${field.name}`
    diffPromise(name, before, after, report)
    diffFields(name, field.type, before, after, report)
  })
}

const NO_PROMISE: ColumnPromise = { required: false, json: null }

const JSON_FORMS = {
  number: 'as numbers',
  string: 'as texts',
  any: 'as numbers, and as texts where a number would not be exact',
} as const

function diffTypes(name: string, baseText: string, headText: string, report: Report): void {
  const [base, head] = [parseOpenTypeName(baseText), parseOpenTypeName(headText)]
  const added: string[] = []
  if (base && head && keepsAll(name, base, head, added)) {
    for (const field of added) report('column/field-added', `the field ${field} is new`)
    return
  }
  report('column/retyped', `the type of ${name} is ${headText}; it was ${baseText}`)
}

/** Whether the new type has everything that the old one has; `added` gets the paths of its new fields. */
function keepsAll(path: string, base: Type, head: Type, added: string[]): boolean {
  if (base.kind === 'ARRAY') return head.kind === 'ARRAY' && keepsAll(path, base.element, head.element, added)
  if (base.kind !== 'STRUCT' || head.kind !== 'STRUCT') return base.kind === head.kind
  // An open STRUCT promises no field.
  if (base === ANY_STRUCT) return true
  if (head === ANY_STRUCT) return false
  const fields = new Map(head.fields.map(field => [field.name, field.type]))
  for (const field of head.fields) {
    if (!base.fields.some(({ name }) => name === field.name)) added.push(`${path}.${field.name}`)
  }
  return base.fields.every(({ name, type }) => {
    const other = fields.get(name)
    return other !== undefined && keepsAll(`${path}.${name}`, type, other, added)
  })
}
