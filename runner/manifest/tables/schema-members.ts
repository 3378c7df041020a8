/** What a table schema may say, by schemas/table.schema.json, which editors read. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import { meantType } from '../../../googlesql/index.js'
import { type Proposal, proposing } from '../../model/suggest.js'
import { checkerOf, type FindMistakes, readSchema } from '../check/schema.js'
import { NAMES_OF_TYPES } from '../check/schema-message.js'

const schema = readSchema('#table-schema')
const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } })
ajv.addSchema(schema, 'table')

/** The members of a field. */
export const FIELD_MEMBERS: readonly string[] = Object.keys(schema.$defs.field.properties)

/** The members of a table resource that count here; the many others that BigQuery writes are ignored. */
export const RESOURCE_MEMBERS: readonly string[] = Object.keys(schema.anyOf[1].properties)

let findMistakes: FindMistakes | undefined

/** The mistakes in an `externalDataConfiguration`. */
export const findFormMistakes: FindMistakes = value => {
  findMistakes ??= checkerOf(schema.anyOf[1].properties.externalDataConfiguration, '"externalDataConfiguration"')
  return findMistakes(value)
}

/** What the member of a field must be, where it is something else. */
export function expectedForm(member: string, value: unknown): string | null {
  // The values of these are read on their own.
  if (member === 'name' || member === 'mode') return null
  if (member === 'type') return typeof value === 'string' ? null : 'the name of a type, such as "STRING"'
  if (member === 'fields') return Array.isArray(value) ? null : NAMES_OF_TYPES['array']!
  const path = `#/$defs/field/properties/${member}`
  if (ajv.getSchema(`table${path}`)!(value)) return null
  return NAMES_OF_TYPES[schema.$defs.field.properties[member].type] ?? 'a whole number'
}

const TYPE_NAMES: readonly string[] = (
  'STRING INT64 FLOAT64 NUMERIC BIGNUMERIC BOOL BYTES DATE TIME DATETIME TIMESTAMP INTERVAL JSON RANGE RECORD ' +
  'INTEGER FLOAT BOOLEAN STRUCT'
).split(' ')

/** `; did you mean "STRING"?` for a type that is not known; for an array and a type with parameters, how they are written. */
export function typeHint(type: string): Proposal {
  if (/^ARRAY\b|\[\]$/i.test(type)) {
    return { hint: '; an array has the type of its elements and "mode": "REPEATED"' }
  }
  const bare = type.toUpperCase().replace(/\s*\(.*$/, '')
  if (bare !== type.toUpperCase() && TYPE_NAMES.includes(bare)) {
    const parameters = 'what is in parentheses as "precision" and "scale", or as "maxLength"'
    return { hint: `; write "type": "${bare}", and ${parameters}` }
  }
  const meant = meantType(bare)
  return proposing(meant === 'STRUCT' ? 'RECORD' : meant)
}
