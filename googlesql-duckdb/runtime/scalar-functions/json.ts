/** JSON functions in JavaScript: functions that DuckDB does not have, and cases for which its result would be wrong. */

import {
  type JsonPath,
  type JsonPathForm,
  type JsonPathStep,
  parseJsonPath,
} from '../../../googlesql/values/json-path.js'
import { canonicalJson, doubleText } from '../../../googlesql/values/json-text.js'
import { doubleText as castText } from './decimal-text.js'
import { isInt64 } from './decimals.js'
import {
  documentText,
  findInText,
  type JsonNode,
  numberText,
  parseDocument,
  prettyText,
  withLineEscapes,
} from './json/document.js'
import { appendItems, insertItems, removeAt, setValue, stripNulls } from './json/edit.js'
import { keepLast } from './keep-last.js'
import { fail, type ScalarFunction, type ScalarFunctionType, scalar } from './scalar-function.js'

const parsePath = keepLast((text: string, form: string, modes: string) =>
  parseJsonPath(text, form as JsonPathForm, modes === 'lax'),
)

/** @throws ScalarFunctionError in BigQuery's words */
function pathOf(text: string, form: string, allowsLax = false): JsonPath {
  const path = parsePath(text, form, allowsLax ? 'lax' : 'strict')
  if ('error' in path) fail(path.error)
  return path
}

/** The greatest depth of a JSON value. */
const MAX_DEPTH = 500

/** The path of a value to change. @throws ScalarFunctionError in BigQuery's words for more than MAX_DEPTH steps, and a negative index */
const pathToEdit = keepLast((text: string): JsonPath => {
  const path = pathOf(text, 'standard')
  if (path.steps.length > MAX_DEPTH) fail(`JSONPath has more than ${MAX_DEPTH} steps`)
  const negative = /\[\s*-\d+\s*\].*$/su.exec(text.replace(/"(?:[^\\"]|\\.)*"?/gsu, name => ' '.repeat(name.length)))
  if (negative) fail(`Invalid token in JSONPath at: ${text.slice(negative.index)}`)
  return path
})

/**
 * Follows one step of a path. The step names a member of an object or, if it is a number (in either notation), an item of an
 * array.
 */
function follow(node: JsonNode, { text }: JsonPathStep): JsonNode | undefined {
  if (node.kind === 'object') return node.members.get(text)
  return node.kind === 'array' && /^\d+$/.test(text) ? node.items[Number(text)] : undefined
}

function find(text: string, path: string, form: string): JsonNode | undefined {
  const { steps } = pathOf(path, form)
  const document = parseDocument(text)
  if (!document) {
    const names = steps.map(each => each.text)
    return findInText(text, names) ?? undefined
  }
  let node: JsonNode | undefined = document
  for (const each of steps) node = node && follow(node, each)
  return node
}

const itemsOf = (node: JsonNode, isDeep: boolean): readonly JsonNode[] =>
  node.kind !== 'array' ? [node] : isDeep ? node.items.flatMap(item => itemsOf(item, true)) : node.items

/**
 * All values on a lax path: a name also searches the items of an array, and a value that is not an array is its own item 0.
 */
function findAll(root: JsonNode, { steps, mode }: JsonPath): JsonNode[] {
  let nodes = [root]
  for (const each of steps) {
    nodes = nodes.flatMap(node => {
      if (each.kind === 'index') {
        const items = node.kind === 'array' ? node.items : [node]
        const item = items[Number(each.text)]
        return item ? [item] : []
      }
      return itemsOf(node, mode === 'lax recursive').flatMap(item => {
        const member = item.kind === 'object' ? item.members.get(each.text) : undefined
        return member ? [member] : []
      })
    })
  }
  return nodes
}

/**
 * The text of a scalar; null for any other value. A number in a STRING keeps its text; in the JSON type, a number that is not
 * an integer gets the text of a FLOAT64.
 */
function scalarText(node: JsonNode | undefined, isJson: boolean): string | null {
  switch (node?.kind) {
    case 'string':
      return node.value
    case 'bool':
      return String(node.value)
    case 'number':
      return isJson ? numberText(node.text) : node.text
    default:
      return null
  }
}

/**
 * The canonical text of a JSON value. @throws ScalarFunctionError for a number that does not fit, which BigQuery refuses on
 * creation.
 */
function canonicalText(text: string, wideNumbers: string, from: string): string {
  const result = canonicalJson(text, numberMode(wideNumbers))
  if ('error' in result) fail(`${from}${result.error}`)
  return result.text
}

function numberMode(text: string): 'exact' | 'round' {
  const mode = text.toLowerCase()
  return mode === 'exact' || mode === 'round' ? mode : fail(`Invalid \`wide_number_mode\` specified: ${text}`)
}

const jsonText = (node: JsonNode): string => canonicalText(documentText(node), 'round', '')

/** Parses text that this project has written, which cannot be malformed. */
function documentOf(text: string): JsonNode {
  const node = parseDocument(text)
  if (!node) fail('The JSON value is malformed')
  return node
}

/** Whether a number with this text is a FLOAT64 in the JSON type. */
const isDouble = (text: string): boolean => /[.eE]/.test(text)

/** The scalar of this kind in a JSON value. @throws ScalarFunctionError for any other value */
function scalarOfKind<K extends JsonNode['kind']>(text: string, kind: K, name: string): Extract<JsonNode, { kind: K }> {
  const node = documentOf(text)
  return node.kind === kind ? (node as Extract<JsonNode, { kind: K }>) : fail(`The provided JSON input is not ${name}`)
}

function strictInt64(text: string): bigint {
  const node = scalarOfKind(text, 'number', 'an integer')
  const number = Number(node.text)
  const isFloat = isDouble(node.text)
  if (isFloat && !Number.isInteger(number))
    fail(`The provided JSON number: ${doubleText(number)} cannot be converted to an integer`)
  const integer = isFloat ? BigInt(number) : BigInt(node.text)
  if (!isInt64(integer)) fail(`The provided JSON number: ${numberText(node.text)} cannot be converted to an integer`)
  return integer
}

function strictFloat64(text: string, wideNumbers: string): number {
  const node = scalarOfKind(text, 'number', 'a number')
  const number = Number(node.text)
  const isFloat = isDouble(node.text)
  const isExact = isFloat || BigInt(node.text) === BigInt(number)
  const mode = numberMode(wideNumbers)
  // BigQuery does not test the value itself, but requires the range in which every integer is exact.
  if (mode === 'exact' && (!isExact || (!isFloat && Math.abs(number) > 2 ** 53)))
    fail(`JSON number: ${node.text} cannot be converted to FLOAT64 without loss of precision`)
  return number
}

const MAX_INT64_DIGITS = 19

/** A decimal text, with or without an exponent, rounded half away from zero; null for other text, and beyond INT64. */
function roundToInt64(text: string): bigint | null {
  const parts = /^[ \t\n\r]*(?![ \t\n\r])([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?[ \t\n\r]*$/.exec(text)
  if (!parts) return null
  const [, sign, whole, fraction = '', exponent = '0'] = parts
  if (whole === '' && fraction === '') return null
  const digits = (whole! + fraction).replace(/^0+/, '')
  const scale = fraction.length - Number(exponent)
  if (scale < -40 || scale > 400) return /^0*$/.test(digits) ? 0n : scale > 0 ? 0n : null
  if (digits.length - scale > MAX_INT64_DIGITS) return null
  let value = BigInt(digits) * 10n ** BigInt(Math.max(-scale, 0))
  if (scale > 0) {
    const unit = 10n ** BigInt(scale)
    value = value / unit + ((value % unit) * 2n >= unit ? 1n : 0n)
  }
  if (sign === '-') value = -value
  return isInt64(value) ? value : null
}

/**
 * A FLOAT64 rounded half away from zero; null beyond INT64. The exact value counts, from which the shortest text may differ.
 */
function roundDouble(double: number): bigint | null {
  const size = Math.abs(double)
  const whole = Math.floor(size)
  const rounded = BigInt(size - whole >= 0.5 ? whole + 1 : whole)
  const value = double < 0 ? -rounded : rounded
  return isInt64(value) ? value : null
}

function laxInt64(text: string): bigint | null {
  const node = documentOf(text)
  switch (node.kind) {
    case 'bool':
      return node.value ? 1n : 0n
    case 'number':
      return isDouble(node.text) ? roundDouble(Number(node.text)) : roundToInt64(node.text)
    case 'string':
      return roundToInt64(node.value)
    default:
      return null
  }
}

function laxFloat64(text: string): number | null {
  const node = documentOf(text)
  if (node.kind === 'number') return Number(node.text)
  if (node.kind !== 'string') return null
  const trimmed = node.value.trim()
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed)
  if (special) return /nan/i.test(special[2]!) ? Number.NaN : special[1] === '-' ? -Infinity : Infinity
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : null
}

function laxBool(text: string): boolean | null {
  const node = documentOf(text)
  if (node.kind === 'bool') return node.value
  if (node.kind === 'number') return Number(node.text) !== 0
  if (node.kind !== 'string') return null
  const word = node.value.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : null
}

function laxString(text: string): string | null {
  const node = documentOf(text)
  if (node.kind !== 'number') return scalarText(node, true) ?? null
  return isDouble(node.text) ? castText(Number(node.text)) : node.text
}

const itemTexts = (node: JsonNode | undefined, toText: (item: JsonNode) => string | null): (string | null)[] | null =>
  node?.kind === 'array' ? node.items.map(toText) : null

function scalarTexts(node: JsonNode | undefined, isJson: boolean): (string | null)[] | null {
  if (node?.kind === 'array' && node.items.some(item => item.kind === 'array' || item.kind === 'object')) return null
  return itemTexts(node, item => scalarText(item, isJson))
}

/** JSON_KEYS: the names in a value as paths, sorted and without duplicates. */
function keysOf(text: string, maxDepth: bigint | null, mode: string | null): string[] {
  const lowerMode = (mode ?? 'strict').toLowerCase()
  if (!['strict', 'lax', 'lax recursive', 'recursive lax'].includes(lowerMode))
    fail(`Invalid JSON mode specified: ${mode}`)
  if (maxDepth !== null && maxDepth <= 0n) fail('max_depth must be positive.')
  const keys = new Set<string>()
  const visit = (node: JsonNode, prefix: string, depth: bigint, arrays: number): void => {
    if (node.kind === 'array') {
      if (lowerMode === 'strict' || (lowerMode === 'lax' && arrays > 0)) return
      for (const item of node.items) visit(item, prefix, depth, arrays + 1)
    } else if (node.kind === 'object' && (maxDepth === null || depth <= maxDepth)) {
      for (const [name, value] of node.members) {
        const key = prefix + (/^[\p{L}\p{N}_\-: \t\n\f\r]+$/u.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`)
        keys.add(key)
        visit(value, `${key}.`, depth + 1n, 0)
      }
    }
  }
  visit(documentOf(text), '', 1n, 0)
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

function contains(whole: JsonNode, part: JsonNode, isTop: boolean): boolean {
  if (whole.kind === 'array') {
    if (part.kind === 'array') return part.items.every(item => whole.items.some(each => contains(each, item, false)))
    return isTop && part.kind !== 'object' && whole.items.some(item => contains(item, part, false))
  }
  if (whole.kind === 'object' && part.kind === 'object') {
    return [...part.members].every(([name, value]) => {
      const member = whole.members.get(name)
      return member !== undefined && contains(member, value, false)
    })
  }
  if (whole.kind === 'number' && part.kind === 'number') return Number(whole.text) === Number(part.text)
  return whole.kind === part.kind && documentText(whole) === documentText(part)
}

const TEXT: ScalarFunctionType = 'VARCHAR'

/** A function that changes a document at a path. If the path is NULL, the document is not changed. */
const edit = (
  name: string,
  change: (root: JsonNode, path: JsonPath, value: JsonNode, flag: boolean) => JsonNode,
): ScalarFunction =>
  scalar(
    name,
    [TEXT, TEXT, TEXT, 'BOOLEAN'],
    TEXT,
    (text, path, value, flag) => {
      if (text === null || path === null || flag === null) return text
      return jsonText(change(documentOf(text), pathToEdit(path), documentOf(value!), flag))
    },
    { handlesNull: true },
  )

const escapeLines = (node: JsonNode): string => withLineEscapes(documentText(node))
/** A function that reads the value at a path of this form. `read` gets undefined where the document has no such value. */
const readAtPath = (
  name: string,
  returns: ScalarFunctionType,
  read: (node: JsonNode | undefined) => string | null | (string | null)[],
): ScalarFunction => scalar(name, [TEXT, TEXT, TEXT], returns, (text, path, form) => read(find(text, path, form)))

export const JSON_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  readAtPath('bq_json_query_text', TEXT, node => (!node || node.kind === 'null' ? null : escapeLines(node))),
  scalar('bq_json_query', [TEXT, TEXT, TEXT], TEXT, (text, path, form) => {
    const parsed = pathOf(path, form, form === 'standard')
    if (parsed.mode !== 'strict') return jsonText({ kind: 'array', items: findAll(documentOf(text), parsed) })
    const node = find(text, path, form)
    return node ? jsonText(node) : null
  }),
  readAtPath('bq_json_value_text', TEXT, node => scalarText(node, false)),
  readAtPath('bq_json_value', TEXT, node => scalarText(node, true)),
  readAtPath('bq_json_query_array_text', 'VARCHAR[]', node => itemTexts(node, escapeLines)),
  readAtPath('bq_json_query_array', 'VARCHAR[]', node => itemTexts(node, jsonText)),
  readAtPath('bq_json_value_array_text', 'VARCHAR[]', node => scalarTexts(node, false)),
  readAtPath('bq_json_value_array', 'VARCHAR[]', node => scalarTexts(node, true)),

  scalar('bq_json_parse', [TEXT, TEXT], TEXT, (text, wideNumbers) =>
    canonicalText(text, wideNumbers, 'Invalid input to PARSE_JSON: '),
  ),
  scalar('bq_json_canonical', [TEXT], TEXT, text => canonicalText(text, 'round', '')),
  scalar('bq_json_quote', [TEXT], TEXT, text => JSON.stringify(text)),
  scalar('bq_json_quote_ascii_lines', [TEXT], TEXT, text => withLineEscapes(JSON.stringify(text))),
  // A negative zero loses its sign here; only a negative zero in JSON text keeps it.
  scalar('bq_json_double', ['DOUBLE'], TEXT, value => doubleText(value === 0 ? 0 : value)),
  // The text of a number in a result; the SQL handles 0 itself, so a zero here is -0.
  scalar('bq_number_text', ['DOUBLE'], TEXT, value => (value === 0 ? '-0' : String(value))),
  scalar('bq_json_pretty', [TEXT], TEXT, text => prettyText(documentOf(text))),

  scalar('bq_json_bool', [TEXT], 'BOOLEAN', text => scalarOfKind(text, 'bool', 'a boolean').value),
  scalar('bq_json_int64', [TEXT], 'BIGINT', strictInt64),
  scalar('bq_json_float64', [TEXT, TEXT], 'DOUBLE', strictFloat64),
  scalar('bq_json_string', [TEXT], TEXT, text => scalarOfKind(text, 'string', 'a string').value),
  scalar('bq_json_lax_bool', [TEXT], 'BOOLEAN', laxBool),
  scalar('bq_json_lax_int64', [TEXT], 'BIGINT', laxInt64),
  scalar('bq_json_lax_float64', [TEXT], 'DOUBLE', laxFloat64),
  scalar('bq_json_lax_string', [TEXT], TEXT, laxString),
  scalar('bq_json_items', [TEXT], 'VARCHAR[]', text => itemTexts(documentOf(text), jsonText)),
  scalar('bq_json_flatten', [TEXT], 'VARCHAR[]', text => itemsOf(documentOf(text), true).map(jsonText)),
  scalar(
    'bq_json_keys',
    [TEXT, 'BIGINT', TEXT],
    'VARCHAR[]',
    (text, depth, mode) => (text === null ? null : keysOf(text, depth, mode)),
    { handlesNull: true },
  ),
  scalar('bq_json_contains', [TEXT, TEXT], 'BOOLEAN', (whole, part) =>
    contains(documentOf(whole), documentOf(part), true),
  ),

  edit('bq_json_set', setValue),
  edit('bq_json_append', appendItems),
  edit('bq_json_insert', insertItems),
  scalar(
    'bq_json_remove',
    [TEXT, TEXT],
    TEXT,
    (text, path) => {
      if (text === null || path === null) return text
      const parsed = pathToEdit(path)
      if (parsed.steps.length === 0) fail("The JSONPath cannot be '$'")
      return jsonText(removeAt(documentOf(text), parsed))
    },
    { handlesNull: true },
  ),
  scalar('bq_json_strip_nulls', [TEXT, TEXT, 'BOOLEAN', 'BOOLEAN'], TEXT, (text, path, arrays, empty) =>
    jsonText(stripNulls(documentOf(text), pathToEdit(path), arrays, empty)),
  ),
]
