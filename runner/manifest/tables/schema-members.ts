/** What a table schema may say, as schemas/table.schema.json says it to editors. */
import { meantType } from '../../../googlesql/index.js'
import { type Proposal, proposing } from '../report.js'

/** A member's form: what is right there, and how a message names it. */
interface MemberForm {
  readonly form: string
  readonly isRight: (value: unknown) => boolean
}

// Members whose values are read on their own have no check here.
const READ: MemberForm = { form: '', isRight: () => true }
const TEXT: MemberForm = { form: 'text', isRight: value => typeof value === 'string' }
const TYPE: MemberForm = { ...TEXT, form: 'the name of a type, such as "STRING"' }
const LIST: MemberForm = { form: 'a list', isRight: Array.isArray }
const MAP: MemberForm = {
  form: 'a map',
  isRight: value => typeof value === 'object' && value !== null && !Array.isArray(value),
}
/** BigQuery's REST interface writes numbers of 64 bits as text. */
const COUNT: MemberForm = {
  form: 'a whole number',
  isRight: value => (typeof value === 'string' ? /^\d+$/.test(value) : Number.isInteger(value) && Number(value) >= 0),
}

/** The members of a field. Source: BigQuery REST v2, TableFieldSchema. */
export const FIELD_MEMBERS: ReadonlyMap<string, MemberForm> = new Map([
  ['name', READ],
  ['type', TYPE],
  ['mode', READ],
  ['fields', LIST],
  ['description', TEXT],
  ['maxLength', COUNT],
  ['precision', COUNT],
  ['scale', COUNT],
  ['roundingMode', TEXT],
  ['collation', TEXT],
  ['defaultValueExpression', TEXT],
  ['policyTags', MAP],
  ['dataPolicies', LIST],
  ['timestampPrecision', COUNT],
  ['rangeElementType', MAP],
  ['foreignTypeDefinition', TEXT],
  ['categories', MAP],
])

/** The members of a table resource that count here; the many others that BigQuery writes are ignored. */
export const RESOURCE_MEMBERS: readonly string[] = [
  'description',
  'schema',
  'timePartitioning',
  'rangePartitioning',
  'requirePartitionFilter',
  'clustering',
]

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
  return meant === undefined ? { hint: '' } : proposing(meant === 'STRUCT' ? 'RECORD' : meant)
}
