/** Ajv error → a message for authors: the place, what was found, what was expected. */

import type { ErrorObject } from 'ajv'
import type { RuleId } from '../../model/rules.js'
import { describeValue, didYouMean, quotedList } from '../report.js'
import type { NodePath } from '../source.js'

export interface SchemaMessage {
  readonly rule: RuleId
  readonly message: string
  /** The place to report, where it is not the value at the error's own path. */
  readonly at?: NodePath
  readonly isAboutKey: boolean
}

/** The path as a message names it: `parameter "limit"`, `settings.cache`. */
function nameOfPlace(path: NodePath, root: string): string {
  const [first, second, third, fourth] = path
  if (first === undefined) return root
  if (first === 'parameters' && path.length === 2) return `parameter "${second}"`
  if (first === 'lookups' && path.length === 2) return `lookup table "${second}"`
  if (first === 'lookups' && third === 'rows' && path.length === 4) return `row "${fourth}" of lookup table "${second}"`
  if (first === 'columns' && path.length === 2) return `column ${Number(second) + 1}`
  return `"${path.join('.')}"`
}

/** Types with their article: `a string`, `an integer`. */
const NAMES_OF_TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'nothing',
}

/**
 * The message for an error. A keyword that has no message here falls back to Ajv's. `root` names the whole file: `the
 * manifest`.
 */
export function schemaMessage(error: ErrorObject, path: NodePath, root: string): SchemaMessage {
  const { keyword, params, data, parentSchema } = error
  const place = nameOfPlace(path, root)
  const about = (rule: RuleId, message: string): SchemaMessage => ({ rule, message, isAboutKey: false })
  const expected = parentSchema?.['patternErrorMessage'] as string | undefined
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty'])
      const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {})
      const value = (data as Readonly<Record<string, unknown>>)[key]
      const hint = brokenText(key, value) ?? (didYouMean(key, known) || `; expected one of ${quotedList(known)}`)
      return {
        rule: 'schema/unknown-key',
        message: `unknown key "${key}" in ${place}${hint}`,
        at: [...path, key],
        isAboutKey: true,
      }
    }
    case 'required':
      return { rule: 'schema/missing-key', message: `${place} has no "${params['missingProperty']}"`, isAboutKey: true }
    case 'propertyNames': {
      const key = String(params['propertyName'])
      const form =
        (error.schema as Record<string, unknown>)['patternErrorMessage'] ?? 'a letter, then letters, digits and _'
      return {
        rule: 'schema/key-form',
        message: `the key "${key}" in ${place} must be ${form}`,
        at: [...path, key],
        isAboutKey: true,
      }
    }
    case 'type': {
      const types = [params['type'] as string | string[]].flat().map(type => NAMES_OF_TYPES[type] ?? type)
      return about('schema/type', `${place} must be ${orList(types)}, found ${describeValue(data)}`)
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String)
      const hint = typeof data === 'string' ? typeOfOthers(data, allowed) || didYouMean(data, allowed) : ''
      return about('schema/enum', `${place} must be one of ${quotedList(allowed)}, found ${describeValue(data)}${hint}`)
    }
    case 'anyOf':
    case 'pattern':
      return about(
        keyword === 'pattern' ? 'schema/form' : 'schema/type',
        `${place} must be ${expected ?? 'of another form'}, found ${describeValue(data)}`,
      )
    case 'minimum':
      return about('schema/range', `${place} must be at least ${params['limit']}, found ${data}`)
    case 'exclusiveMinimum':
      return about('schema/range', `${place} must be more than ${params['limit']}, found ${data}`)
    case 'maximum':
      return about('schema/range', `${place} must be at most ${params['limit']}, found ${data}`)
    case 'maxLength':
      return about('schema/range', `${place} must be at most ${params['limit']} characters long`)
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return about('schema/range', `${place} must not be empty`)
    case 'maxItems':
    case 'maxProperties':
      return about('schema/range', `${place} must have at most ${params['limit']} members`)
    default:
      return about('schema/other', `${place} ${error.message ?? 'is not valid'}`)
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}

/** What has made a key of a text in braces; null where the key may be meant as one. */
function brokenText(key: string, value: unknown): string | null {
  if (value !== null) return null
  const [, name, rest] = /^([\w-]+):(\S.*)$/.exec(key) ?? []
  if (name !== undefined) return `; write a space behind the colon: "${name}: ${rest}"`
  return '; a comma ends a text in braces: if this belongs to the text before it, put the text in quotes'
}

/** Types of parameters as other tools name them. */
const PARAMETER_TYPES: Readonly<Record<string, string>> = {
  array: 'array<string>',
  bigint: 'int64',
  boolean: 'bool',
  double: 'float64',
  float: 'float64',
  int: 'int64',
  integer: 'int64',
  list: 'array<string>',
  number: 'float64',
  str: 'string',
  text: 'string',
  varchar: 'string',
}

function typeOfOthers(word: string, allowed: readonly string[]): string {
  const meant = PARAMETER_TYPES[word.toLowerCase()]
  return meant !== undefined && allowed.includes(meant) ? `; did you mean "${meant}"?` : ''
}
