/** Checks the members of a table schema by schemas/table.schema.json, which editors read too. */
import { memo } from '../../model/bounded-map.js'
import { isRecord } from '../../model/is-record.js'
import { checkerOf, type FindMistakes, readSchema } from '../check/schema.js'

const schema = readSchema('#table-schema')

/** The members of a table resource that count here; the many others that BigQuery writes are ignored. */
export const RESOURCE_MEMBERS: readonly string[] = Object.keys(schema.anyOf[1].properties)

const TEXT = { type: 'string' }
const { field, ...defs } = schema.$defs
/** The reader itself refuses unknown types and modes, and proposes those that may be meant. */
const $defs = { ...defs, field: { ...field, properties: { ...field.properties, type: TEXT, mode: TEXT } } }

/** The checkers of lists of columns and of table resources. Each is compiled when a schema is read: many commands read none. */
const checkers = new Map<boolean, FindMistakes>()

/** The mistakes in the form of a list of columns, or of a table resource. */
export const findFormMistakes: FindMistakes = value => {
  const isResource = isRecord(value)
  const form = isResource ? schema.anyOf[1] : defs.fields
  return memo(checkers, isResource, () => checkerOf({ ...form, $defs }, 'the table schema'))(value)
}
