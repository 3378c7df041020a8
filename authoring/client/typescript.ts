/** Endpoints → a client in TypeScript: one file without imports. */
import { ERROR_CODES } from '../../runner/model/error-codes.js'
import { splitType } from '../../runner/model/param.js'
import type { PublishedParameter } from '../../runner/model/published-endpoint.js'
import { endpointText, parameterText } from './comment-text.js'
import { type Choice, type ClientEndpoint, choicesOf, isRequired, revisionOf } from './contract.js'
import { type JsonShape, type Member, type PlainShape, rowOf } from './json-shape.js'
import { linesOf, memberName, singleQuoted } from './program-text.js'

/** The file's text. `runtime` is the part that is the same for all endpoints: templates/client/runtime.ts. */
export function typescriptClient(endpoints: readonly ClientEndpoint[], runtime: string): string {
  return [
    `// Written by \`sluice client\`, revision ${revisionOf(endpoints)}. Do not edit; run \`sluice client\` again.`,
    '/* eslint-disable */',
    '',
    '/** The endpoints by name: the arguments of a call, a row of its result, and whether it has pages. */',
    'export interface Endpoints {',
    ...endpoints.flatMap(endpointLines),
    '}',
    '',
    '/** Why a call failed. UNKNOWN: the answer was not one of Sluice, but of something in between. */',
    'export type ErrorCode =',
    ...[...Object.keys(ERROR_CODES), 'UNKNOWN'].map(code => `  | ${singleQuoted(code)}`),
    '',
    'const PAGE_SIZES: Readonly<Record<string, number>> = {',
    ...endpoints.flatMap(({ name, maxPageSize: size }) => (size ? [`  ${singleQuoted(name)}: ${size},`] : [])),
    '}',
    '',
    runtime,
  ].join('\n')
}

function endpointLines(endpoint: ClientEndpoint): readonly string[] {
  const { name, parameters } = endpoint
  return [
    ...comment(endpointText(endpoint), 1),
    `  ${singleQuoted(name)}: {`,
    // `{}` would take any argument.
    ...(parameters.length === 0
      ? ['    args: Record<string, never>']
      : ['    args: {', ...parameters.flatMap(parameterLines), '    }']),
    `    row: ${objectType(rowOf(endpoint), 2)}`,
    ...(endpoint.maxPageSize ? ['    pages: true'] : []),
    '  }',
  ]
}

function parameterLines(parameter: PublishedParameter): readonly string[] {
  const { name, type } = parameter
  const choices = choicesOf(parameter)
  const { scalar, isArray } = splitType(type)
  const element = choices === null ? (ARGUMENT_TYPES[scalar] ?? 'string') : unionOf(choices)
  const whole = isArray ? `readonly ${inParentheses(element)}[]` : element
  const member = isRequired(parameter) ? `${memberName(name)}: ${whole}` : `${memberName(name)}?: ${whole} | undefined`
  return [...comment(parameterText(parameter), 3), `      ${member}`]
}

/** The types of arguments that are not text. */
const ARGUMENT_TYPES: Readonly<Record<string, string>> = {
  int64: 'number | bigint',
  float64: 'number',
  bool: 'boolean',
  json: 'string | { readonly [member: string]: unknown }',
}

const unionOf = (choices: readonly Choice[]): string =>
  choices.map(choice => (typeof choice === 'string' ? singleQuoted(choice) : String(choice))).join(' | ')

const SHAPE_TYPES: Readonly<Record<PlainShape['kind'], string>> = {
  string: 'string',
  boolean: 'boolean',
  number: 'number',
  integer: 'number',
  'integer or string': 'number | string',
  'number or word': "number | 'NaN' | 'Infinity' | '-Infinity'",
  any: 'Json',
}

/** The type of a value; `depth` is the depth of the line on which it begins. */
function typeOf(shape: JsonShape, depth: number): string {
  if (shape.kind === 'array') return `${inParentheses(typeOf(shape.element, depth))}[]`
  if (shape.kind !== 'object') return SHAPE_TYPES[shape.kind]
  return shape.members === null ? 'Record<string, Json>' : objectType(shape.members, depth)
}

function objectType(members: readonly Member[], depth: number): string {
  if (members.length === 0) return 'Record<string, never>'
  const lines = members.flatMap(({ name, shape, isNullable, text }) => [
    ...comment(text, depth + 1),
    `${indent(depth + 1)}${memberName(name)}: ${typeOf(shape, depth + 1)}${isNullable ? ' | null' : ''}`,
  ])
  return ['{', ...lines, `${indent(depth)}}`].join('\n')
}

/** Puts a union in parentheses, as the element of an array needs. */
const inParentheses = (type: string): string => (!type.startsWith('{') && type.includes(' | ') ? `(${type})` : type)

const indent = (depth: number): string => '  '.repeat(depth)

function comment(text: string, depth: number): readonly string[] {
  // A line that began with @ would be a tag, or an order to the compiler such as @ts-expect-error.
  const lines = linesOf(text).map(line => line.replaceAll('*/', '*\\/').replace(/^@/, '\\@'))
  const [first] = lines
  if (first === undefined) return []
  if (lines.length === 1) return [`${indent(depth)}/** ${first} */`]
  return ['/**', ...lines.map(line => ` * ${line}`), ' */'].map(line => indent(depth) + line)
}
