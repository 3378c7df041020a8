/** Holds results against the schemas of an OpenAPI 3.1 document, with the formats of OpenAPI's registry checked too. */
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { type ResultShape, resultOf, rowSchema } from '../../runner/openapi/schema.js'

const CIVIL_DATE = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])'
const CIVIL_TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?'

const FORMATS = {
  date: CIVIL_DATE,
  'time-local': CIVIL_TIME,
  'date-time-local': `${CIVIL_DATE}T${CIVIL_TIME}`,
  'date-time': `${CIVIL_DATE}T${CIVIL_TIME}(?:Z|[+-]\\d\\d:\\d\\d)`,
}

/** A validator that knows the formats of published schemas and their extensions. Most schemas are used for one result, so it optimizes none. */
export function publishedSchemas(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, code: { optimize: false } })
  for (const [name, pattern] of Object.entries(FORMATS)) ajv.addFormat(name, new RegExp(`^${pattern}$`))
  for (const keyword of ['x-sluice-type', 'x-sluice-unit']) ajv.addKeyword({ keyword, schemaType: 'string' })
  return ajv
}

const ajv = publishedSchemas()
const compiled = new WeakMap<object, ValidateFunction>()
/** By the text of the schema: to compile one takes longer than to encode most results, and many tests have the same. */
const compiledTexts = new Map<string, ValidateFunction>()

function validatorOf(endpoint: ResultShape): ValidateFunction {
  const schema = resultOf(endpoint, rowSchema(endpoint, '3.1'), '3.1')
  const text = JSON.stringify(schema)
  const validate = compiledTexts.get(text) ?? ajv.compile(schema)
  compiledTexts.set(text, validate)
  return validate
}

/** How a body breaks the published schema of this endpoint; null where it does not. */
export function breachOf(endpoint: ResultShape & Partial<Pick<Endpoint, 'name'>>, body: Uint8Array): string | null {
  const validate = compiled.get(endpoint) ?? validatorOf(endpoint)
  compiled.set(endpoint, validate)
  const value: unknown = JSON.parse(Buffer.from(body).toString())
  return validate(value) ? null : (validate.errors ?? []).slice(0, 5).map(errorText).join('; ')
}

const errorText = ({ instancePath, message = '', params }: ErrorObject): string =>
  `${instancePath} ${message} ${JSON.stringify(params)}`
