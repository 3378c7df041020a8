/** JSON Schemas for the arguments and the answers of the author's tools. */

type JsonSchema = Record<string, unknown>

export const TEXT = { type: 'string' } as const

export const listOf = (items: JsonSchema, more: JsonSchema = {}) => ({ type: 'array', items, ...more }) as const

/** An object with these members, and no others. */
export const strictObject = (properties: Record<string, JsonSchema>, required: string[] = []) =>
  ({ type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }) as const
