/** Checks `<name>.example.json` against the row contract. Loaded by `validate` alone: a server takes the file as it is. */
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseDocument } from 'yaml'
import type { SourceText } from '../../runner/manifest/discover.js'
import { describeValue, diagnosticAt, didYouMean, type More } from '../../runner/manifest/report.js'
import { type ManifestSource, manifestSource, type NodePath, placeAt } from '../../runner/manifest/source.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import type { ContractColumn, Endpoint } from '../../runner/model/endpoint.js'
import { lineStartsOf } from '../../runner/model/line-starts.js'
import { resultSchema } from '../../runner/openapi/schema.js'

/** The most mistakes of one file that are reported: further ones are mostly the same in another row. */
const MAX_MISTAKES = 20
/** The longest type that a message quotes. */
const MAX_TYPE_LENGTH = 100

// Tests check these schemas against JSON Schema's own, and each is used once: optimizing its code takes longer than it saves.
const ajv = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false, code: { optimize: false } })

/** The mistakes in an example of this endpoint, each at its own value. */
export function checkExample(endpoint: Endpoint, { file, text }: SourceText): readonly Diagnostic[] {
  const broken = syntaxError(text)
  if (broken !== null) {
    const place = placeAt(file, lineStartsOf(text), broken.offset)
    return [diagnosticAt(place, 'example/contract', `this is not valid JSON: ${broken.message}`)]
  }
  const validate = ajv.compile(resultSchema(endpoint))
  if (validate(JSON.parse(text))) return []
  const source = manifestSource(file, text, parseDocument(text, { strict: false, uniqueKeys: false }).contents)
  const seen = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const error of validate.errors ?? []) {
    const path = pathOf(error)
    const { at, message, more } = mistakeOf(error, path, endpoint)
    // Each branch of `anyOf` reports the same value once more.
    const key = JSON.stringify(at)
    if (seen.has(key)) continue
    seen.add(key)
    diagnostics.push(diagnosticAt(placeOf(source, error, at), 'example/contract', message, more))
  }
  return diagnostics.slice(0, MAX_MISTAKES)
}

function syntaxError(text: string): { readonly offset: number; readonly message: string } | null {
  try {
    JSON.parse(text)
    return null
  } catch (thrown) {
    const { message } = thrown as SyntaxError
    // Node's message has the position of only some mistakes.
    const position = /at position (\d+)/.exec(message)?.[1]
    const offset = position === undefined ? offsetOfMistake(text) : Number(position)
    return { offset, message: message.replace(/,? (?:at position|".*" is not|is not valid JSON).*$/s, '') }
  }
}

/** A text, a mark, or a word that JSON knows. */
const TOKEN = /\s*(?:"(?:[^"\\]|\\.)*"|[[\]{},:]|(?:true|false|null|-?\d[\d.eE+-]*)(?![\w]))/y

/** The offset of the first token that JSON does not have, else of what is not YAML either, else of the end. */
function offsetOfMistake(text: string): number {
  TOKEN.lastIndex = 0
  let end = 0
  while (TOKEN.test(text)) end = TOKEN.lastIndex
  const blank = /^\s*/.exec(text.slice(end))![0].length
  if (end + blank < text.length) return end + blank
  return parseDocument(text, { prettyErrors: false }).errors[0]?.pos[0] ?? text.length
}

/** `/result/0/a~1b` is `['result', 0, 'a/b']`. */
function pathOf({ instancePath }: ErrorObject): NodePath {
  const words = instancePath.split('/').slice(1)
  const names = words.map(word => word.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.map((name, i) => (i !== 0 && i !== 2 && /^\d+$/.test(name) ? Number(name) : name))
}

function placeOf(source: ManifestSource, { keyword }: ErrorObject, at: NodePath) {
  return keyword === 'additionalProperties' ? source.keyAt(at) : source.valueAt(at)
}

interface Mistake {
  readonly at: NodePath
  readonly message: string
  readonly more?: More
}

function mistakeOf({ keyword, params, data }: ErrorObject, path: NodePath, endpoint: Endpoint): Mistake {
  const { columns, maxRows } = endpoint
  if (keyword === 'additionalProperties' && path.length > 0) {
    const name = String(params['additionalProperty'])
    const known = path.length === 2 ? columns.map(column => column.name) : []
    const what = path.length === 2 ? 'column' : 'field'
    return { at: [...path, name], message: `the query has no ${what} "${name}"`, more: didYouMean(name, known) }
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
  return { at: path, message: `found ${describeValue(data)}, but ${contractText(column, path)}` }
}

/** `the column "n" is INT64, never NULL`; the whole column for a value inside of it. */
function contractText({ name, type, required, json }: ContractColumn, path: NodePath): string {
  const short = type.length > MAX_TYPE_LENGTH ? `${type.slice(0, MAX_TYPE_LENGTH)}…` : type
  const where =
    path.length > 3 ? `this is inside of the column "${name}", which is ${short}` : `the column "${name}" is ${short}`
  return [where, ...(required ? ['never NULL'] : []), ...(json === null ? [] : [`a ${json} in JSON`])].join(', ')
}
