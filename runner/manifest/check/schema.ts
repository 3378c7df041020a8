/** Holds a manifest against schemas/endpoint.schema.json; each mistake becomes one diagnostic in words an author can use. */
import { readFileSync } from 'node:fs'
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Diagnostic } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { ManifestSource, NodePath } from '../source.js'
import { type SchemaMessage, schemaMessage } from './schema-message.js'

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  strictRequired: false, // what `then` requires is declared beside it
  allowUnionTypes: true,
})
ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' })
const schema = JSON.parse(readFileSync(new URL(import.meta.resolve('#endpoint-schema')), 'utf8'))
const validate = ajv.compile(schema)

export interface SchemaMistake extends SchemaMessage {
  readonly path: NodePath
}

/** The mistakes in this value, each once; none when it is a Manifest. */
export function findSchemaMistakes(value: unknown): readonly SchemaMistake[] {
  if (validate(value)) return []
  const mistakes = new Map<string, SchemaMistake>()
  for (const error of worthTelling(validate.errors ?? [])) {
    const path = pathOf(error.instancePath, value)
    const message = schemaMessage(error, path)
    mistakes.set(`${JSON.stringify(message.at ?? path)} ${message.message}`, { ...message, path })
  }
  return [...mistakes.values()]
}

/** The same as diagnostics. */
export function schemaDiagnostics(mistakes: readonly SchemaMistake[], source: ManifestSource): readonly Diagnostic[] {
  return mistakes.map(({ path, at, isAboutKey, rule, message }) => {
    const place = isAboutKey ? source.keyAt(at ?? path) : source.valueAt(at ?? path)
    return diagnosticAt(place, rule, message)
  })
}

/**
 * An `anyOf` that fails reports every branch. When the value has the shape of one (a map, a list), what is wrong inside
 * is the news; else the `anyOf` speaks for all of them.
 */
function worthTelling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // An `if` that fails reports what its branch says, and itself.
  const own = errors.filter(({ keyword }) => keyword !== 'if')
  let told = own.filter(error => error.propertyName === undefined || error.keyword === 'propertyNames')
  const choices = told
    .filter(error => error.keyword === 'anyOf')
    .sort((a, b) => b.instancePath.length - a.instancePath.length)
  for (const choice of choices) {
    const isShape = (error: ErrorObject): boolean =>
      error.instancePath === choice.instancePath && ['type', 'const', 'enum', 'pattern'].includes(error.keyword)
    const isInside = (error: ErrorObject): boolean =>
      error !== choice && (error.instancePath + '/').startsWith(choice.instancePath + '/')
    const hasNews = typeof choice.data === 'object' && told.some(error => isInside(error) && !isShape(error))
    told = told.filter(error => (hasNews ? error !== choice && !(isInside(error) && isShape(error)) : !isInside(error)))
  }
  return told
}

/** A JSON Pointer's steps, indexes as numbers where the value is a list. */
function pathOf(pointer: string, root: unknown): NodePath {
  const path: (string | number)[] = []
  let value = root
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(step) : step)
    value = (value as Record<string, unknown> | null)?.[step]
  }
  return path
}
