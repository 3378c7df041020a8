/** Writes a manifest and its test file as YAML, in the style in which people write them. */
import { Document, type Node, Scalar, stringify } from 'yaml'
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
  /** The rows of the lookup table `interval`, and its default row; null without this table. */
  readonly interval: { readonly rows: Readonly<Record<string, object>>; readonly fallback: string } | null
  readonly columns: readonly { readonly name: string; readonly type: string; readonly required?: boolean }[]
  readonly sql: string
}

/** @param schemas the path from the folder of the manifest to schemas/, for the first line, which editors read */
export function manifestText(spec: ManifestSpec, schemas: string): string {
  const { id, name, description, tenant, parameters, settings, interval, columns } = spec
  const sql = new Scalar(`${spec.sql.replace(/\n+$/, '')}\n`)
  sql.type = Scalar.BLOCK_LITERAL
  const manifest = {
    ...{ id, name, description },
    ...(tenant !== null && { tenant: toFlow(tenant) }),
    ...(Object.keys(parameters).length > 0 && { parameters: toFlows(parameters) }),
    settings: toFlows(settings),
    ...(interval !== null && {
      lookups: { interval: { by: 'interval', rows: toFlows(interval.rows), default: interval.fallback } },
    }),
    ...(columns.length > 0 && { columns: columns.map(column => toFlow(columnEntry(column))) }),
    sql,
  }
  return `# yaml-language-server: $schema=${schemas}/endpoint.schema.json\n${yamlText(manifest)}`
}

/** The fields of a type that would not fit a line are left open. */
function columnEntry({ name, type, required }: ManifestSpec['columns'][number]): object {
  const open = type.startsWith('ARRAY<') ? 'ARRAY<STRUCT>' : 'STRUCT'
  return { name, type: type.length > LINE_WIDTH ? open : type, ...(required && { required }) }
}

/** The most characters of a line that is written: a manifest has no lines of more than 10,000. */
export const LINE_WIDTH = 1_000

const yamlText = (value: object): string => stringify(value, { lineWidth: LINE_WIDTH, aliasDuplicateObjects: false })

/** The value on one line, `{ type: string, required: true }`, or on several where it is long. */
const toFlow = (value: unknown): Node => new Document().createNode(value, { flow: true, aliasDuplicateObjects: false })

/** A map with a line for each member. */
const toFlows = (members: object): Readonly<Record<string, Node>> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, toFlow(value)]))

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
  yamlText({
    now: TEST_NOW,
    ...tablesMember(tables),
    tests: cases.map(({ name, arguments: args = {}, tables: caseTables = {}, expect }) => ({
      name,
      ...(Object.keys(args).length > 0 && { arguments: toFlow(args) }),
      ...tablesMember(caseTables),
      expect: toFlows(expect),
    })),
  })

function tablesMember(tables: TestRows): { readonly tables?: object } {
  const lists = Object.entries(tables).map(([name, rows]) => [name, rows.map(toFlow)] as const)
  return lists.length === 0 ? {} : { tables: Object.fromEntries(lists) }
}

/** The case of a call without these parameters, which are all that are required. */
export const missingCase = (name: string, parameters: readonly string[]): TestSpec => ({
  name,
  expect: { problem: { status: 400, code: 'ARGUMENT_INVALID', parameters } },
})

/**
 * A template whose output is this text. Where Handlebars would read `{{` as a tag, a comment comes between the braces; its
 * `~` removes the blanks around it.
 */
export const asTemplate = (sql: string): string => sql.replace(/\{(?=\{)/g, '{ {{~! a brace ~}} ')
