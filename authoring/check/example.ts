/** Checks `<name>.example.json` against the row contract. Only `validate` does this: a server uses the file unchecked. */

import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { pathOf } from '../../runner/manifest/check/schema.js'
import type { SourceText } from '../../runner/manifest/discover.js'
import { parseJson } from '../../runner/manifest/parse-json.js'
import { describeValue, diagnosticAt, type More } from '../../runner/manifest/report.js'
import type { NodePath, PlaceSource } from '../../runner/manifest/source.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import type { ContractColumn, Endpoint } from '../../runner/model/endpoint.js'
import { didYouMean } from '../../runner/model/suggest.js'
import { resultSchema } from '../../runner/openapi/schema.js'

/** The most mistakes of one file that are reported: further mistakes mostly repeat one of them in another row. */
const MAX_MISTAKES = 20
/** The longest type that a message quotes. */
const MAX_TYPE_LENGTH = 100

// Tests check that these schemas are valid. Each is used once, so optimizing its code would take longer than it saves.
const ajv = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false, code: { optimize: false } })

/** The mistakes in an example of this endpoint, each at its own value. */
export function checkExample(endpoint: Endpoint, { file, text }: SourceText): readonly Diagnostic[] {
  const { source, value, diagnostics: broken } = parseJson(file, text)
  if (broken.length > 0) {
    return broken.map(mistake =>
      diagnosticAt(mistake, 'example/contract', `this is not valid JSON: ${mistake.message}`),
    )
  }
  const validate = ajv.compile(resultSchema(endpoint))
  if (validate(value)) return []
  const seen = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const error of validate.errors ?? []) {
    const path = pathOf(error.instancePath, value)
    const { at, message, more } = mistakeOf(error, path, endpoint)
    // Each branch of `anyOf` reports the same value once more.
    const key = JSON.stringify(at)
    if (seen.has(key)) continue
    seen.add(key)
    diagnostics.push(diagnosticAt(placeOf(source, error, at), 'example/contract', message, more))
  }
  return diagnostics.slice(0, MAX_MISTAKES)
}

function placeOf(source: PlaceSource, { keyword }: ErrorObject, at: NodePath) {
  return keyword === 'additionalProperties' ? source.keyAt(at) : source.valueAt(at)
}

function mistakeOf(
  { keyword, params, data }: ErrorObject,
  path: NodePath,
  endpoint: Endpoint,
): { at: NodePath; message: string; more?: More } {
  const { columns, maxRows } = endpoint
  if (keyword === 'additionalProperties' && path.length > 0) {
    const name = String(params['additionalProperty'])
    const names = path.length === 2 ? columns.map(column => column.name) : []
    const what = path.length === 2 ? 'column' : 'field'
    return { at: [...path, name], message: `the query has no ${what} "${name}"`, more: didYouMean(name, names) }
  }
  if (keyword === 'required' && path.length > 0) {
    const name = String(params['missingProperty'])
    return { at: [...path, name], message: `the ${path.length === 2 ? 'column' : 'field'} "${name}" is missing` }
  }
  if (keyword === 'maxItems') return { at: path, message: `these are more rows than max_rows, which is ${maxRows}` }
  const column = columns.find(({ name }) => name === path[2])
  if (column === undefined) {
    return { at: path, message: 'expected {"result":[row,…]} with an object for each row, as HTTP gives it' }
  }
  return { at: path, message: `found ${describeValue(data)}${contractText(column, path)}` }
}

/** `, but the column "n" is INT64, never NULL`; for a value inside a column, the column and its type. */
function contractText({ name, type, required, json }: ContractColumn, path: NodePath): string {
  const short = type.length > MAX_TYPE_LENGTH ? `${type.slice(0, MAX_TYPE_LENGTH)}…` : type
  if (path.length > 3) return ` inside the column "${name}", which must be ${short}`
  const guarantees = [...(required ? ['never NULL'] : []), ...(json === null ? [] : [`a ${json} in JSON`])]
  return [`, but the column "${name}" is ${short}`, ...guarantees].join(', ')
}
