/** JSON functions. */

import type { Expr } from '../../plan/nodes.js'
import { typeName } from '../../types/types.js'
import { type JsonPathForm, parseJsonPath } from '../../values/json-path.js'
import {
  type Args,
  BEYOND_BIGQUERY,
  CAN_FAIL,
  type CanFail,
  type Check,
  canFailUnlessLiteral,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
} from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const json = (name: string, canFail: CanFail, signatures: readonly string[], check?: Check): FunctionEntry =>
  functionsOf('json_functions')(name, canFail, UNKNOWN, signatures, {
    documentation: `json_functions#${anchorOf(name)}`,
    ...(check ? { check } : {}),
  })

const beyond: typeof json = (...entry) => ({ ...json(...entry), ...BEYOND_BIGQUERY })

/** The documentation writes `double` for FLOAT64, and adds `_for_json` to converters that are named like a type. */
function anchorOf(name: string): string {
  const anchor = name.toLowerCase().replace('float64', 'double')
  return /^(?:bool|int64|double|string)(?:_array)?$/.test(anchor) ? `${anchor}_for_json` : anchor
}

/** The text of a literal STRING; null for anything else. */
export function literalText(expr: Expr | null | undefined): string | null {
  return expr?.kind === 'literal' && expr.type.kind === 'STRING' && typeof expr.value === 'string' ? expr.value : null
}

const checkPath =
  (form: JsonPathForm, allowsLax = false): Check =>
  args => {
    const text = literalText(args[1])
    const path = text === null ? null : parseJsonPath(text, form, allowsLax && args[0]?.type.kind === 'JSON')
    return path && 'error' in path ? path.error : null
  }

const extract = (result: string, jsonResult = result): string[] => [
  `(STRING, [STRING]) -> ${result}`,
  `(JSON, [STRING]) -> ${jsonResult}`,
]
const EXTRACT = ['(STRING, STRING) -> STRING', '(JSON, STRING) -> JSON']

/** Checks the arguments of the functions in FLAGS: after the document, path, value, path, value, … */
const checkPairs =
  (name: string): Check =>
  args => {
    const pairs = pairsOf(args)
    if (pairs.length === 0 || pairs.length % 2 !== 0) return `Number of arguments does not match for function ${name}`
    for (let i = 0; i < pairs.length; i += 2) {
      const path = pairs[i]!
      if (path.type.kind !== 'STRING' && !(path.kind === 'literal' && path.value === null)) {
        return `A JSONPath of ${name} must be a STRING, but was ${typeName(path.type)}`
      }
      const text = literalText(path)
      const parsed = text === null ? null : parseJsonPath(text, 'standard')
      if (parsed && 'error' in parsed) return parsed.error
    }
    return null
  }

/** The paths and values: all arguments but the document, which is first, and the flag, which is last. */
const pairsOf = (args: Args): Expr[] => args.slice(1, -1).filter(arg => arg !== null)

const checkPaths: Check = args => {
  for (const arg of args.slice(1)) {
    const text = literalText(arg)
    const path = text === null ? null : parseJsonPath(text, 'standard')
    if (path && 'error' in path) return path.error
    if (path && path.steps.length === 0) return "The JSONPath cannot be '$'"
  }
  return null
}

const checkObject: Check = args => {
  const entries = args.filter(arg => arg !== null)
  if (entries.length === 2 && entries[0]!.type.kind === 'ARRAY') {
    const [keys, values] = entries
    const fits = keys!.type.kind === 'ARRAY' && keys!.type.element.kind === 'STRING' && values!.type.kind === 'ARRAY'
    return fits || isEmptyArray(keys!) ? null : 'JSON_OBJECT takes an ARRAY<STRING> of keys and an ARRAY of values'
  }
  if (entries.length % 2 !== 0) return 'Invalid input to JSON_OBJECT: A key has no value'
  const badKey = entries.find(
    (arg, i) => i % 2 === 0 && arg.type.kind !== 'STRING' && !(arg.kind === 'literal' && arg.value === null),
  )
  return badKey ? `A key of JSON_OBJECT must be a STRING, but was ${typeName(badKey.type)}` : null
}

const isEmptyArray = (expr: Expr): boolean => expr.kind === 'array' && expr.items.length === 0

const conversion = (type: string): FunctionEntry[] => [
  json(`LAX_${type}`, NEVER_FAILS, [`(JSON) -> ${type}`]),
  beyond(`LAX_${type}_ARRAY`, NEVER_FAILS, [`(JSON) -> ARRAY<${type}>`]),
]

/** The functions that change values at paths, each with the name of its flag. */
const FLAGS: Readonly<Record<string, string>> = {
  JSON_SET: 'create_if_missing',
  JSON_ARRAY_APPEND: 'append_each_element',
  JSON_ARRAY_INSERT: 'insert_each_element',
}

/** STRING(json) is not here: it is a signature of STRING in timestamps.ts. */
export const JSON_FUNCTIONS: readonly FunctionEntry[] = [
  json('JSON_VALUE', canFailUnlessLiteral(1), extract('STRING'), checkPath('standard')),
  json('JSON_QUERY', canFailUnlessLiteral(1), EXTRACT, checkPath('standard', true)),
  json('JSON_VALUE_ARRAY', canFailUnlessLiteral(1), extract('ARRAY<STRING>'), checkPath('standard')),
  json('JSON_QUERY_ARRAY', canFailUnlessLiteral(1), extract('ARRAY<STRING>', 'ARRAY<JSON>'), checkPath('standard')),
  json('JSON_EXTRACT', canFailUnlessLiteral(1), EXTRACT, checkPath('legacy')),
  json('JSON_EXTRACT_SCALAR', canFailUnlessLiteral(1), extract('STRING'), checkPath('legacy')),
  json('JSON_EXTRACT_ARRAY', canFailUnlessLiteral(1), extract('ARRAY<STRING>', 'ARRAY<JSON>'), checkPath('legacy')),
  json('JSON_EXTRACT_STRING_ARRAY', canFailUnlessLiteral(1), extract('ARRAY<STRING>'), checkPath('legacy')),
  json('TO_JSON', CAN_FAIL, ['(ANY, stringify_wide_numbers => BOOL) -> JSON']),
  json('TO_JSON_STRING', NEVER_FAILS, ['(ANY, [BOOL]) -> STRING']),
  json('PARSE_JSON', CAN_FAIL, ['(STRING, wide_number_mode => STRING) -> JSON']),
  json('JSON_TYPE', NEVER_FAILS, ['(JSON) -> STRING']),
  json('JSON_KEYS', CAN_FAIL, ['(JSON, [INT64], mode => STRING) -> ARRAY<STRING>']),
  json('JSON_ARRAY', CAN_FAIL, ['([ANY...]) -> JSON']),
  json('JSON_OBJECT', CAN_FAIL, ['([ANY...]) -> JSON'], checkObject),
  ...Object.entries(FLAGS).map(([name, flag]) =>
    json(name, CAN_FAIL, [`(JSON, ANY..., ${flag} => BOOL) -> JSON`], checkPairs(name)),
  ),
  json('JSON_REMOVE', CAN_FAIL, ['(JSON, STRING...) -> JSON'], checkPaths),
  json(
    'JSON_STRIP_NULLS',
    canFailUnlessLiteral(1),
    ['(JSON, [STRING], include_arrays => BOOL, remove_empty => BOOL) -> JSON'],
    checkPath('standard'),
  ),
  beyond('JSON_CONTAINS', NEVER_FAILS, ['(JSON, JSON) -> BOOL']),
  json('JSON_FLATTEN', NEVER_FAILS, ['(JSON) -> ARRAY<JSON>']),
  json('BOOL', CAN_FAIL, ['(JSON) -> BOOL']),
  beyond('BOOL_ARRAY', CAN_FAIL, ['(JSON) -> ARRAY<BOOL>']),
  json('INT64', CAN_FAIL, ['(JSON) -> INT64']),
  beyond('INT64_ARRAY', CAN_FAIL, ['(JSON) -> ARRAY<INT64>']),
  json('FLOAT64', CAN_FAIL, ['(JSON, wide_number_mode => STRING) -> FLOAT64']),
  beyond('FLOAT64_ARRAY', CAN_FAIL, ['(JSON, wide_number_mode => STRING) -> ARRAY<FLOAT64>']),
  beyond('STRING_ARRAY', CAN_FAIL, ['(JSON) -> ARRAY<STRING>']),
  ...['BOOL', 'INT64', 'FLOAT64', 'STRING'].flatMap(conversion),
]
