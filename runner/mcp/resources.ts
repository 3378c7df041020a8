/** Endpoints described in Markdown, for agents that read before they call. */
import type { ContractColumn, Endpoint } from '../model/endpoint.js'
import { stringifyExact } from '../model/exact-json.js'
import type { Parameter } from '../model/param.js'
import { argumentSchema } from '../openapi/parameters.js'
import type { JsonSchema } from '../openapi/schema.js'
import { toolName } from './tools.js'

const PREFIX = 'sluice://endpoints/'
const MARKDOWN = 'text/markdown'

/** A resource as `resources/list` has it. */
export const resourceOf = ({ name, description }: Endpoint) => ({
  uri: PREFIX + name,
  name,
  description: description.trim(),
  mimeType: MARKDOWN,
})

/** The name of the endpoint that an address describes; null for any other address. */
export const describedName = (uri: string): string | null => (uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : null)

/** The contents of an endpoint's resource, without the parameters that the token pins. */
export function contentsOf(endpoint: Endpoint, pinned: readonly string[]) {
  return { uri: PREFIX + endpoint.name, mimeType: MARKDOWN, text: markdownOf(endpoint, pinned) }
}

function markdownOf(endpoint: Endpoint, pinned: readonly string[]): string {
  const { name, description, maxRows, columns, example } = endpoint
  const parameters = endpoint.parameters.filter(parameter => !pinned.includes(parameter.name))
  const sections = [
    `# ${name}`,
    description.trim(),
    `Tool: \`${toolName(endpoint)}\`. At most ${maxRows} rows. Times are UTC.`,
    listOf('Arguments', parameters.map(argumentLine)),
    listOf('Columns', columns.map(columnLine)),
    // The example may have rows of another value than the pinned one.
    example === null || pinned.length > 0 ? '' : `## Example\n\n\`\`\`json\n${stringifyExact(example, 2)}\n\`\`\``,
  ]
  return `${sections.filter(section => section !== '').join('\n\n')}\n`
}

const listOf = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`

/** Keywords of a schema that say which values are allowed or usual, in words. */
const BOUNDS: Readonly<Record<string, (value: unknown) => string>> = {
  enum: values => `One of ${codes(values)}.`,
  pattern: pattern => `Matches ${code(pattern)}.`,
  minimum: value => `At least ${code(value)}.`,
  maximum: value => `At most ${code(value)}.`,
  maxLength: count => `At most ${count} characters.`,
  maxItems: count => `At most ${count} values.`,
  default: value => `Without it ${code(value)}.`,
  examples: values => `For example ${codes(values)}.`,
}

function argumentLine(parameter: Parameter): string {
  const { name, type, isRequired } = parameter
  const { items, description, ...own } = argumentSchema(parameter)
  const schema: JsonSchema = { ...(items as JsonSchema | undefined), ...own }
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, inWords]) =>
    schema[keyword] === undefined ? [] : [inWords(schema[keyword])],
  )
  return lineOf(`\`${name}\` (${type}, ${isRequired ? 'required' : 'optional'})`, [
    String(description ?? ''),
    ...bounds,
  ])
}

function columnLine({ name, type, required, unit, description }: ContractColumn): string {
  const facts = [
    type,
    ...(required ? ['never NULL'] : []),
    ...(unit === null ? [] : [unit === 'count' ? 'a count' : `in ${unit}`]),
  ]
  return lineOf(`\`${name}\` (${facts.join(', ')})`, [description])
}

function lineOf(subject: string, sentences: readonly string[]): string {
  const texts = sentences.map(sentence => sentence.trim()).filter(sentence => sentence !== '')
  return texts.length === 0 ? `- ${subject}` : `- ${subject}: ${texts.join(' ')}`
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
const codes = (values: unknown): string => (values as readonly unknown[]).map(code).join(', ')
