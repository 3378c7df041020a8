/** Ajv error → a message for authors: the place, what was found, what was expected. */

import type { ErrorObject } from 'ajv'
import { meantType, nearest, parseTypeName } from '../../../googlesql/index.js'
import type { RuleId } from '../../model/rules.js'
import { proposing } from '../../model/suggest.js'
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

/** Lists whose members are named by their `name`. A file that is itself a list has the key `undefined`: it is a list of fields. */
const ITEM_NOUNS: Readonly<Record<string, string>> = { tests: 'test', fields: 'field', undefined: 'field' }

/** The path as a message names it: `parameter "limit"`, `settings.cache`, `"type" of field "id"`. */
function nameOfPlace(path: NodePath, root: string, value: unknown): string {
  const [first, second, third, fourth] = path
  const at = path.findLastIndex((step, i) => typeof step === 'number' && Object.hasOwn(ITEM_NOUNS, String(path[i - 1])))
  if (at >= 0) {
    const member = path.slice(0, at + 1).reduce((outer: unknown, step) => Object(outer)[step], value)
    const { name } = Object(member) as { readonly name?: unknown }
    const what = `${ITEM_NOUNS[String(path[at - 1])]} ${typeof name === 'string' ? `"${name}"` : Number(path[at]) + 1}`
    return at === path.length - 1 ? what : `"${path.slice(at + 1).join('.')}" of ${what}`
  }
  if (first === undefined) return root
  if (first === 'parameters' && path.length === 2) return `parameter "${second}"`
  if (first === 'lookups' && path.length === 2) return `lookup table "${second}"`
  if (first === 'lookups' && third === 'rows' && path.length === 4) return `row "${fourth}" of lookup table "${second}"`
  if (first === 'columns' && path.length === 2) return `column ${Number(second) + 1}`
  return `"${path.join('.')}"`
}

/** JSON's types as messages name them. */
const NAMES_OF_TYPES: Readonly<Record<string, string>> = {
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
 * manifest`; `value` is its content.
 */
export function schemaMessage(error: ErrorObject, path: NodePath, root: string, value: unknown): SchemaMessage {
  const { keyword, params, data, parentSchema } = error
  const place = nameOfPlace(path, root, value)
  const about = (rule: RuleId, message: string): SchemaMessage => ({ rule, message, isAboutKey: false })
  const expected = parentSchema?.['patternErrorMessage'] as string | undefined
  const knownKeys = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {})
  const bound = BOUNDS[keyword]
  const written = typeof data === 'number' ? `, found ${data}` : ''
  if (bound) return about('schema/range', `${place} must ${bound(params['limit'])}${written}`)
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty'])
      const meant = meantKey(key, knownKeys)
      const isThere = meant !== undefined && Object.hasOwn(data as object, meant)
      const { hint, ...proposed } = isThere
        ? { hint: `; "${meant}" stands here too, so delete one of them` }
        : proposing(meant, `; expected one of ${quotedList(knownKeys)}`)
      const message = `unknown key "${key}" in ${place}${hint}`
      return { rule: 'schema/unknown-key', message, at: [...path, key], isAboutKey: true, ...proposed }
    }
    case 'required': {
      const key = String(params['missingProperty'])
      const hint = key === 'default' && path[0] === 'lookups' ? defaultAdvice(data) : ''
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
      return about('schema/type', `${place} must be ${orList(types)}, found ${describeValue(data)}`)
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String)
      const { hint, ...meant } = proposing(typeof data === 'string' ? meantWord(data, allowed) : undefined)
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
      const hint = knownKeys.length === 0 ? '' : `; write one of ${quotedList(knownKeys)}`
      return about('schema/range', `${place} must not be empty${hint}`)
    }
    default:
      return about('schema/other', `${place} ${error.message ?? 'is not valid'}`)
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}

/** Advice which default to write for a lookup table. */
function defaultAdvice(lookup: unknown): string {
  const [row] = Object.keys(Object((lookup as { readonly rows?: unknown }).rows))
  const rowAdvice = row === undefined ? '' : `"default: ${row}" to give all other arguments that row, or `
  return `; write ${rowAdvice}"default: reject" to refuse them with 400`
}

/** The allowed value with a similar spelling, or the type that this word means in JSON or another dialect of SQL. */
function meantWord(word: string, allowed: readonly string[]): string | undefined {
  const type = parseTypeName(meantType(word) ?? '')?.kind.toLowerCase()
  return nearest(word, allowed) ?? allowed.find(name => name === type)
}

/** Keys of other tools, each with the key here that means the same. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  args: 'parameters',
  inputs: 'parameters',
  limit: 'max_rows',
  max: 'maximum',
  min: 'minimum',
  params: 'parameters',
  query: 'sql',
  regex: 'pattern',
  timeout: 'timeout_seconds',
  title: 'description',
  values: 'enum',
  variables: 'parameters',
}

/**
 * The known key that is probably meant: the key that has this name in another tool, else the only key that begins with it (`ttl`) or has
 * all its words, else the nearest by spelling. Undefined where several keys have all its words (`stale_seconds`).
 */
function meantKey(key: string, known: readonly string[]): string | undefined {
  const synonym = Object.hasOwn(FOREIGN_KEYS, key) ? FOREIGN_KEYS[key] : undefined
  if (synonym !== undefined && known.includes(synonym)) return synonym
  const words = key.split('_')
  const hasAll = (name: string): boolean => words.length > 1 && words.every(word => name.split('_').includes(word))
  const [longer, ...others] = known.filter(name => (key.length > 2 && name.startsWith(key)) || hasAll(name))
  if (longer !== undefined && others.length === 0) return longer
  return known.some(hasAll) ? undefined : nearest(key, known)
}
