/** Ajv error → a message for authors: the place, what was found, what was expected. */

import type { ErrorObject } from 'ajv'
import { nearest } from '../../../googlesql/index.js'
import type { RuleId } from '../../model/rules.js'
import { didYouMean, type Proposal, proposing } from '../../model/suggest.js'
import { describeValue, quotedList } from '../report.js'
import type { NodePath } from '../source.js'

export interface SchemaMessage {
  readonly rule: RuleId
  readonly message: string
  /** The place to report, where it is not the value at the error's own path. */
  readonly at?: NodePath
  readonly isAboutKey: boolean
  /** The key or the value that is probably meant. */
  readonly meant?: string
}

/** The path as a message names it: `parameter "limit"`, `settings.cache`. */
function nameOfPlace(path: NodePath, root: string, value: unknown): string {
  const [first, second, third, fourth] = path
  if (first === 'tests' && typeof second === 'number') {
    const { name } = (value as { readonly tests: readonly { readonly name?: unknown }[] }).tests[second] ?? {}
    const test = typeof name === 'string' ? `test "${name}"` : `test ${second + 1}`
    return path.length === 2 ? test : `"${path.slice(2).join('.')}" of ${test}`
  }
  if (first === undefined) return root
  if (first === 'parameters' && path.length === 2) return `parameter "${second}"`
  if (first === 'lookups' && path.length === 2) return `lookup table "${second}"`
  if (first === 'lookups' && third === 'rows' && path.length === 4) return `row "${fourth}" of lookup table "${second}"`
  if (first === 'columns' && path.length === 2) return `column ${Number(second) + 1}`
  return `"${path.join('.')}"`
}

/** JSON's types as messages name them. */
export const NAMES_OF_TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'nothing',
}

/** The keywords that bound a value: what it must do. */
const BOUNDS: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: limit => `be at least ${limit}`,
  exclusiveMinimum: limit => `be more than ${limit}`,
  maximum: limit => `be at most ${limit}`,
  maxLength: limit => `be at most ${limit} characters long`,
  maxItems: limit => `have at most ${limit} members`,
  maxProperties: limit => `have at most ${limit} members`,
}

/**
 * The message for an error. A keyword that has no message here falls back to Ajv's. `root` names the whole file: `the
 * manifest`; `value` is what it holds.
 */
export function schemaMessage(error: ErrorObject, path: NodePath, root: string, value: unknown): SchemaMessage {
  const { keyword, params, data, parentSchema } = error
  const place = nameOfPlace(path, root, value)
  const about = (rule: RuleId, message: string): SchemaMessage => ({ rule, message, isAboutKey: false })
  const expected = parentSchema?.['patternErrorMessage'] as string | undefined
  const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {})
  const bound = BOUNDS[keyword]
  const written = typeof data === 'number' ? `, found ${data}` : ''
  if (bound) return about('schema/range', `${place} must ${bound(params['limit'])}${written}`)
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty'])
      const given = (data as Readonly<Record<string, unknown>>)[key]
      const broken = brokenText(key, given, known)
      const meant = broken === null ? meantKey(key, known) : undefined
      const alike = keysWithWords(key, known).map(name => `"${name}"`)
      const others = alike.length > 1 ? `; did you mean ${orList(alike)}?` : `; expected one of ${quotedList(known)}`
      const { hint, ...proposed } = proposing(meant, others)
      const message = `unknown key "${key}" in ${place}${broken ?? hint}`
      return { rule: 'schema/unknown-key', message, at: [...path, key], isAboutKey: true, ...proposed }
    }
    case 'required': {
      const key = String(params['missingProperty'])
      const hint = key === 'default' && path[0] === 'lookups' ? defaultOf(data) : ''
      return { rule: 'schema/missing-key', message: `${place} has no "${key}"${hint}`, isAboutKey: true }
    }
    case 'propertyNames': {
      const key = String(params['propertyName'])
      const form =
        (error.schema as Record<string, unknown>)['patternErrorMessage'] ?? 'a letter, then letters, digits and _'
      const message = `the key "${key}" in ${place} must be ${form}`
      return { rule: 'schema/key-form', message, at: [...path, key], isAboutKey: true }
    }
    case 'type': {
      const types = [params['type'] as string | string[]].flat().map(type => NAMES_OF_TYPES[type] ?? type)
      const hint = types[0] === 'a map' ? mapOf(path, data) : ''
      return about('schema/type', `${place} must be ${orList(types)}, found ${describeValue(data)}${hint}`)
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String)
      const { hint, ...meant } = typeof data === 'string' ? meantWord(data, allowed) : { hint: '' }
      const message = `${place} must be one of ${quotedList(allowed)}, found ${describeValue(data)}${hint}`
      return { ...about('schema/enum', message), ...meant }
    }
    case 'anyOf':
    case 'pattern': {
      const message = `${place} must be ${expected ?? 'of another form'}, found ${describeValue(data)}`
      return about(keyword === 'pattern' ? 'schema/form' : 'schema/type', message)
    }
    case 'minLength':
    case 'minItems':
    case 'minProperties': {
      const hint = known.length === 0 ? '' : `; write one of ${quotedList(known)}`
      return about('schema/range', `${place} must not be empty${hint}`)
    }
    default:
      return about('schema/other', `${place} ${error.message ?? 'is not valid'}`)
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}

/** Advice how to write a single value as the map that must stand there. */
function mapOf(path: NodePath, data: unknown): string {
  const isText = typeof data === 'string' && /^[\w.<>]+$/.test(data)
  if (path[0] === 'parameters' && path.length === 2) return `; write { type: ${isText ? data : 'string'} }`
  return path[0] === 'columns' && path.length === 2 && isText ? `; write { name: ${data}, type: STRING }` : ''
}

/** Advice which default to write for a lookup table. */
function defaultOf(lookup: unknown): string {
  const [row] = Object.keys(Object((lookup as { readonly rows?: unknown }).rows))
  const named = row === undefined ? '' : `"default: ${row}" to give all other arguments that row, or `
  return `; write ${named}"default: reject" to refuse them with 400`
}

/** Keys of other tools, with the key here that means the same. */
const KEYS: Readonly<Record<string, string>> = {
  args: 'parameters',
  expected: 'expect',
  inputs: 'parameters',
  limit: 'max_rows',
  max: 'maximum',
  maxlength: 'max_length',
  params: 'parameters',
  query: 'sql',
  regex: 'pattern',
  timeout: 'timeout_seconds',
  title: 'description',
  values: 'enum',
  variables: 'parameters',
}

/** The known key that is probably meant: it is spelt alike, begins with this one, or has this name in another tool. */
export function meantKey(key: string, known: readonly string[]): string | undefined {
  const word = key.toLowerCase()
  const longer = known.filter(name => word.length > 2 && name.startsWith(word))
  const elsewhere = Object.hasOwn(KEYS, word) && known.includes(KEYS[word]!) ? KEYS[word] : undefined
  const alike = keysWithWords(key, known)
  if (alike.length > 1) return undefined
  return elsewhere ?? (longer.length === 1 ? longer[0] : (alike[0] ?? nearest(key, known)))
}

/** The known keys that have all words of this one, as `stale_seconds` is short for keys that say when. */
function keysWithWords(key: string, known: readonly string[]): readonly string[] {
  const words = key.toLowerCase().split('_')
  return words.length < 2 ? [] : known.filter(name => words.every(word => name.split('_').includes(word)))
}

/** Advice for a text in braces that YAML reads as a key; null where the key may be meant as one. */
function brokenText(key: string, value: unknown, known: readonly string[]): string | null {
  if (value !== null) return null
  const [, before, after] = /^([\w-]+)\s*(?:=>?|\s)\s*(\S.*)$/.exec(key) ?? []
  if (before !== undefined && known.includes(before)) return `; write a colon after the key: "${before}: ${after}"`
  const [, name, rest] = /^([\w-]+):(\S.*)$/.exec(key) ?? []
  if (name !== undefined) return `; write a space after the colon: "${name}: ${rest}"`
  return '; a comma ends a text in braces: if this belongs to the text before it, put the text in quotes'
}

/** Types of other tools, with the type of a parameter that means the same. */
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

function meantWord(word: string, allowed: readonly string[]): Proposal {
  const meant = PARAMETER_TYPES[word.toLowerCase()]
  return meant !== undefined && allowed.includes(meant) ? proposing(meant) : didYouMean(word, allowed)
}
