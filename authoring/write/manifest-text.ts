/** Writes a manifest and its test file as YAML, in the style of those that people write. */
import { stringify } from 'yaml'
import type { Manifest } from '../../runner/model/manifest.js'
import { TEST_NOW } from './sample-row.js'

/** A parameter as `parameters:` has it. */
export type ParameterSpec = Readonly<Record<string, unknown>> & { readonly type: string }

export interface ManifestSpec {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tenant: Manifest['tenant'] | null
  readonly parameters: Readonly<Record<string, ParameterSpec>>
  readonly settings: Readonly<Record<string, unknown>>
  /** The rows of the lookup table `interval`, and the row of other arguments; null for no such table. */
  readonly interval: { readonly rows: Readonly<Record<string, object>>; readonly fallback: string } | null
  readonly columns: readonly { readonly name: string; readonly type: string; readonly required?: boolean }[]
  readonly sql: string
}

/** The path from the folder of the manifest to schemas/, for the first line, which editors read. */
export function manifestText(spec: ManifestSpec, schemas: string): string {
  const { interval, columns } = spec
  const parameters = Object.entries(spec.parameters)
  const lines = [
    `# yaml-language-server: $schema=${schemas}/endpoint.schema.json`,
    `id: ${spec.id}`,
    `name: ${flow(spec.name)}`,
    `description: ${flow(spec.description)}`,
    ...(spec.tenant === null ? [] : [`tenant: ${flow(spec.tenant)}`]),
    ...(parameters.length === 0 ? [] : ['parameters:', ...members(parameters)]),
    'settings:',
    ...members(Object.entries(spec.settings)),
    ...(interval === null
      ? []
      : [
          'lookups:',
          '  interval:',
          '    by: interval',
          '    rows:',
          ...members(Object.entries(interval.rows)).map(line => `    ${line}`),
          `    default: ${flow(interval.fallback)}`,
        ]),
    ...(columns.length === 0 ? [] : ['columns:', ...columns.map(column => `  - ${flow(columnEntry(column))}`)]),
    sqlBlock(spec.sql),
  ]
  return `${lines.join('\n')}\n`
}

const members = (entries: readonly (readonly [string, unknown])[]): readonly string[] =>
  entries.map(([name, value]) => `  ${flow(name)}: ${flow(value)}`)

/** The fields of a type that would not fit a line are left open. */
function columnEntry({ name, type, required }: ManifestSpec['columns'][number]): object {
  const open = type.startsWith('ARRAY<') ? 'ARRAY<STRUCT>' : 'STRUCT'
  return { name, type: type.length > LINE_WIDTH ? open : type, ...(required && { required }) }
}

/** The most characters of a line that is written: a manifest has no lines of more than 10,000. */
export const LINE_WIDTH = 1_000
/** Deeper than anything that a value stands in. */
const INDENTATION = ' '.repeat(12)

/** The value on one line, `{ type: string, required: true }`, or on several where it is long. */
const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: LINE_WIDTH, aliasDuplicateObjects: false })
    .trimEnd()
    .replaceAll('\n', `\n${INDENTATION}`)

/** A case of a test file. */
export interface TestSpec {
  readonly name: string
  readonly arguments?: object
  readonly tables?: TestRows
  readonly expect: object
}

type TestRows = Readonly<Record<string, readonly object[]>>

/** A test file with these rows of tables, which all cases share. */
export const testText = (tables: TestRows, cases: readonly TestSpec[]): string =>
  [`now: ${TEST_NOW}`, ...tableLines(tables), 'tests:', ...cases.flatMap(caseLines), ''].join('\n')

const tableLines = (tables: TestRows): readonly string[] => {
  const lines = Object.entries(tables).flatMap(([name, rows]) => [
    `  ${flow(name)}:`,
    ...rows.map(one => `    - ${flow(one)}`),
  ])
  return lines.length === 0 ? [] : ['tables:', ...lines]
}

const caseLines = ({ name, arguments: given = {}, tables = {}, expect }: TestSpec): readonly string[] => [
  `  - name: ${flow(name)}`,
  ...(Object.keys(given).length === 0 ? [] : [`    arguments: ${flow(given)}`]),
  ...tableLines(tables).map(line => `    ${line}`),
  '    expect:',
  ...members(Object.entries(expect)).map(line => `    ${line}`),
]

/** The case of a call without these parameters, which are all that are required. */
export const missingCase = (name: string, parameters: readonly string[]): TestSpec => ({
  name,
  expect: { problem: { status: 400, code: 'ARGUMENT_INVALID', parameters } },
})

/** A literal block; where its first line is indented, its header must give the indentation. */
function sqlBlock(sql: string): string {
  const text = sql.replace(/\n+$/, '')
  const isIndented = /^\s*\n*[ ]/.test(text)
  const lines = text.split('\n').map(line => (line === '' ? '' : `  ${line}`))
  return `sql: |${isIndented ? '2' : ''}\n${lines.join('\n')}`
}

/**
 * A template whose output is this text. Where Handlebars would read `{{` as a tag, a comment comes between the braces; its
 * `~` removes the blanks around it.
 */
export const asTemplate = (sql: string): string => sql.replace(/\{(?=\{)/g, '{ {{~! a brace ~}} ')
