/** JSON Schemas (draft 2020-12) that arguments of type json must match. */
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { memo } from '../model/bounded-map.js'
import { beginning } from '../model/cause-text.js'
import type { ValueSchema } from '../model/param.js'

/** The keywords that a schema may not have: checking them could take much longer than reading the caller's value. */
const REFUSED_KEYWORDS = ['pattern', 'patternProperties', 'format', 'uniqueItems', '$ref', '$dynamicRef']

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  ownProperties: true,
  // JSON Schema's own schema needs the keywords that are left out; compiling refuses wrong values, too.
  validateSchema: false,
  logger: false,
})
for (const keyword of REFUSED_KEYWORDS) ajv.removeKeyword(keyword)

/** A valid schema, compiled. */
export class ArgumentSchema implements ValueSchema {
  readonly source: object
  readonly #validate: ValidateFunction

  /** @throws Error for a schema that is not valid; see `compileSchema`. */
  constructor(source: object) {
    this.source = source
    this.#validate = ajv.compile(source as AnySchema)
    // Otherwise Ajv would keep the schema of each reload, and refuse a second one with the same $id.
    ajv.removeSchema(source)
  }

  problem(text: string): string | null {
    if (this.#validate(JSON.parse(text))) return null
    const { instancePath, message } = this.#validate.errors![0] as ErrorObject
    return beginning(`must match its schema: ${instancePath || 'the value'} ${message}`)
  }
}

const schemas = new WeakMap<object, ArgumentSchema | string>()

/** The compiled schema; where it is not valid, the reason as the rest of a sentence. */
export const compileSchema = (source: object): ArgumentSchema | string =>
  memo(schemas, source, () => compileNew(source))

function compileNew(source: object): ArgumentSchema | string {
  try {
    return new ArgumentSchema(source)
  } catch (error) {
    const keywords = `the keywords are those of JSON Schema 2020-12 without ${REFUSED_KEYWORDS.join(', ')}`
    return `is not valid: ${(error as Error).message}; ${keywords}`
  }
}
