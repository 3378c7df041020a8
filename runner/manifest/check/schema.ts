/** Validates a manifest against schemas/endpoint.schema.json; each mistake becomes one diagnostic. */
import { readFileSync } from 'node:fs'
import type { AnySchema, ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Diagnostic } from '../../model/diagnostic.js'
import type { Manifest } from '../../model/manifest.js'
import { diagnosticAt } from '../report.js'
import type { NodePath, PlaceSource } from '../source.js'
import { type SchemaMessage, schemaMessage } from './schema-message.js'

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  strictRequired: false, // The members that `then` requires are declared beside it.
  allowUnionTypes: true,
  // Tests check the schemas against JSON Schema's own; checking them here would take half of the time of compiling them.
  validateSchema: false,
  // Optimizing the code would take half of the time, too, and saves nothing on values of this size.
  code: { optimize: false },
})
ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' })

/** A function that finds the mistakes in a value, each once, by one of the schemas in package.json's `imports`. */
export const schemaChecker = (name: '#endpoint-schema' | '#test-schema'): FindMistakes =>
  checkerOf(readSchema(name), name === '#test-schema' ? 'the test file' : 'the manifest')

export type FindMistakes = (value: unknown) => readonly SchemaMistake[]

/** A function that finds the mistakes in a value by this schema; `root` is what messages call the value. */
export function checkerOf(schema: AnySchema, root: string): FindMistakes {
  const validate = ajv.compile(schema)
  return value => (validate(value) ? [] : mistakesOf(validate.errors ?? [], value, root))
}

/** One of the schemas in package.json's `imports`. */
export function readSchema(name: '#endpoint-schema' | '#test-schema' | '#table-schema') {
  return JSON.parse(readFileSync(new URL(import.meta.resolve(name)), 'utf8'))
}

export interface SchemaMistake extends SchemaMessage {
  readonly path: NodePath
}

/** The mistakes in this value, each once; empty when it is a valid Manifest. */
export const findSchemaMistakes = schemaChecker('#endpoint-schema')

/**
 * The manifest without its unknown keys, so that its other mistakes are found in the same run. A misspelt key gets the name that
 * it probably means. Null where the schema finds other mistakes too: further diagnostics would only be consequences.
 */
export function withoutUnknownKeys(value: unknown, mistakes: readonly SchemaMistake[]): Manifest | null {
  if (mistakes.length === 0) return value as Manifest
  const copy = structuredClone(value)
  for (const { rule, at = [], meant } of mistakes) {
    // Mistakes below a misspelt key of the first level would have no place in the file.
    if (rule !== 'schema/unknown-key' || (at.length === 1 && meant !== undefined)) return null
    const parent = at.slice(0, -1).reduce((member, step) => member[step] as Members, copy as Members)
    const key = at.at(-1)!
    if (meant !== undefined) parent[meant] ??= parent[key]
    delete parent[key]
  }
  return findSchemaMistakes(copy).length === 0 ? (copy as Manifest) : null
}

type Members = Record<string | number, unknown>

function mistakesOf(errors: readonly ErrorObject[], value: unknown, root: string): readonly SchemaMistake[] {
  const mistakes = new Map<string, SchemaMistake>()
  for (const error of errorsToReport(errors)) {
    const path = pathOf(error.instancePath, value)
    const message = schemaMessage(error, path, root, value)
    mistakes.set(`${JSON.stringify(message.at ?? path)} ${message.message}`, { ...message, path })
  }
  return [...mistakes.values()]
}

/** Schema mistakes as diagnostics. */
export function schemaDiagnostics(mistakes: readonly SchemaMistake[], source: PlaceSource): readonly Diagnostic[] {
  return mistakes.map(({ path, at, isAboutKey, rule, message, meant }) => {
    const place = isAboutKey ? source.keyAt(at ?? path) : source.valueAt(at ?? path)
    return diagnosticAt(place, rule, message, meant === undefined ? {} : { meant })
  })
}

/**
 * Selects the errors to report. An `anyOf` that fails reports every branch: when the value has the shape of one branch (a
 * map, a list), the errors inside that branch are kept; else the error of the `anyOf` alone.
 */
function errorsToReport(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // An `if` that fails reports the errors of its branch and one of its own.
  const branchErrors = errors.filter(({ keyword }) => keyword !== 'if')
  let reported = branchErrors.filter(error => error.propertyName === undefined || error.keyword === 'propertyNames')
  const choices = reported
    .filter(error => error.keyword === 'anyOf')
    .sort((a, b) => b.instancePath.length - a.instancePath.length)
  for (const choice of choices) {
    const isShape = (error: ErrorObject): boolean =>
      error.instancePath === choice.instancePath && ['type', 'const', 'enum', 'pattern'].includes(error.keyword)
    const isInside = (error: ErrorObject): boolean =>
      error !== choice && (error.instancePath + '/').startsWith(choice.instancePath + '/')
    const saysMore = typeof choice.data === 'object' && reported.some(error => isInside(error) && !isShape(error))
    reported = reported.filter(error =>
      saysMore ? error !== choice && !(isInside(error) && isShape(error)) : !isInside(error),
    )
  }
  const isBeside = (error: ErrorObject, keyword: string): boolean =>
    reported.some(other => other.keyword === keyword && other.instancePath === error.instancePath)
  return reported.filter(error => {
    // A missing key may be there under the unknown name, and a value of another type is never in the list.
    if (error.keyword === 'required') return !isBeside(error, 'additionalProperties')
    return error.keyword !== 'enum' || !isBeside(error, 'type')
  })
}

/** The steps of a JSON Pointer; indexes of lists as numbers. */
export function pathOf(pointer: string, root: unknown): NodePath {
  const path: (string | number)[] = []
  let value = root
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(step) : step)
    value = (value as Record<string, unknown> | null)?.[step]
  }
  return path
}
