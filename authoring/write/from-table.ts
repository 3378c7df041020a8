/** Makes a manifest over one table: its rows, newest first, or their number in each bucket of time. */

import {
  RESERVED_KEYWORDS,
  type StructField,
  type TableCatalogue,
  type TableDefinition,
  typeName,
} from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { didYouMean } from '../../runner/model/suggest.js'
import {
  LINE_WIDTH,
  type ManifestSpec,
  missingCase,
  type ParameterSpec,
  type TestSpec,
  testText,
} from './manifest-text.js'
import { sampleRow, TEST_NOW } from './sample-row.js'

/** What `sluice new` is asked for. Columns are named as the table has them; null for none. */
export interface TableOrder {
  readonly table: TableDefinition
  readonly time: string | null
  readonly tenant: string | null
  /** Whether rows are counted in buckets of time. */
  readonly hasInterval: boolean
  /** A tenant that the data has. @default a made-up tenant */
  readonly tenantExample?: string | number
}

/** The parts of a manifest that the order decides. */
export interface NewManifest extends Omit<ManifestSpec, 'id' | 'name'> {
  /** Test files as YAML, in the order in which they are tried: the first that passes is kept. */
  readonly tests: readonly string[]
  /** The tables that the query reads. */
  readonly tables: readonly string[]
}

/** @throws UsageError for a name that no table has. */
export function requireTable(tables: TableCatalogue, name: string): TableDefinition {
  const table = tables.find(name)
  if (table) return table
  const { hint } = didYouMean(name, tables.names(), '; `sluice tables infer` writes its schema')
  throw new UsageError([`there is no table ${name}${hint}`])
}

/** The names of the columns of these types. */
export const columnsOf = ({ columns }: TableDefinition, kinds: readonly string[]): readonly string[] =>
  columns.filter(({ type }) => kinds.includes(type.kind)).map(({ name }) => name)

/** @throws UsageError for a column that does not exist, or whose type does not fit the flag. */
export function manifestOfTable(order: TableOrder): NewManifest {
  const { table } = order
  const time = order.time === null ? null : columnOf(table, order.time, '--time', TIME_KINDS)
  const tenant = order.tenant === null ? null : columnOf(table, order.tenant, '--tenant', TENANT_KINDS)
  if (order.hasInterval && time === null)
    throw new UsageError(['--interval needs --time, the column that it counts by'])
  const example = order.tenantExample ?? (tenant?.type.kind === 'INT64' ? 1 : 'a')
  const facts = { table, time, tenant, parameter: tenant && parameterName(tenant.name), example }
  const specific = order.hasInterval ? countsOf({ ...facts, time: time! }) : rowsOf(facts)
  return { ...specific, tenant: tenantOf(facts), settings: SETTINGS, columns: [], tables: [table.name] }
}

export const TIME_KINDS: readonly string[] = ['TIMESTAMP', 'DATETIME', 'DATE']
export const TENANT_KINDS: readonly string[] = ['STRING', 'INT64']

function columnOf(table: TableDefinition, wanted: string, flag: string, kinds: readonly string[]): StructField {
  const column = table.columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (column && kinds.includes(column.type.kind)) return column
  const columns = columnsOf(table, kinds)
  const { hint } = didYouMean(wanted, columns, `; its columns of these types: ${columns.join(', ') || 'none'}`)
  const actual = column ? `${wanted} is ${typeName(column.type)}` : `${table.name} has no column ${wanted}`
  throw new UsageError([`${flag} names a column of type ${kinds.join(' or ')}, and ${actual}${hint}`])
}

/** A parameter is a letter, then letters, digits and _; five names are taken. */
function parameterName(column: string): string {
  const isTaken = ['now', 'interval', 'since', 'until', 'format'].includes(column.toLowerCase())
  return /^[A-Za-z][A-Za-z0-9_]{0,127}$/.test(column) && !isTaken ? column : 'tenant'
}

interface Facts {
  readonly table: TableDefinition
  readonly time: StructField | null
  readonly tenant: StructField | null
  /** The parameter that names the tenant; null without a tenant. */
  readonly parameter: string | null
  /** The example of its argument. */
  readonly example: string | number
}

const isPlain = (column: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(column)

const quoted = (column: string): string =>
  isPlain(column) && !RESERVED_KEYWORDS.has(column.toUpperCase()) ? column : `\`${column}\``

/** The column as SQL names it. The name of the table alone means its whole row, also where a column has this name. */
function nameIn(table: TableDefinition, column: string): string {
  const shortName = table.name.split('.').at(-1)!
  return shortName.toLowerCase() === column.toLowerCase() ? `${quoted(shortName)}.${quoted(column)}` : quoted(column)
}

const SETTINGS = { max_rows: 1000, cache: { ttl_seconds: 60 } }

function tenantParameter({ tenant, parameter, example }: Facts): Readonly<Record<string, ParameterSpec>> {
  if (tenant === null) return {}
  const type = tenant.type.kind === 'INT64' ? 'int64' : 'string'
  return {
    [parameter!]: {
      type,
      required: true,
      description: `Only rows whose ${tenant.name} this is.`,
      examples: [example],
    },
  }
}

/** The column is named only where the parameter has another name. */
function tenantOf({ table, tenant, parameter }: Facts): ManifestSpec['tenant'] {
  if (tenant === null || parameter === null || tenant.name.toLowerCase() === parameter.toLowerCase()) return parameter
  return { parameter, columns: { [table.name]: tenant.name } }
}

const tenantCondition = ({ table, tenant, parameter }: Facts): string[] =>
  tenant === null ? [] : [`${nameIn(table, tenant.name)} = @${parameter}`]

/** `WHERE a` and `  AND b`, around the lines of the template; the first condition must always be there. */
const where = (conditions: readonly string[]): readonly string[] =>
  conditions.map((condition, i) => (i === 0 ? `WHERE ${condition}` : `  AND ${condition}`))

// ---- rows

/** The members in which a manifest of rows and a manifest of counts differ. */
type SpecificMembers = Omit<NewManifest, 'tenant' | 'settings' | 'columns' | 'tables'>

function rowsOf(facts: Facts): SpecificMembers {
  const { table, time, tenant } = facts
  const always = tenantCondition(facts)
  const type = time === null ? null : time.type.kind.toLowerCase()
  const optional =
    time === null
      ? []
      : [
          `{{#if given.since}}\n  AND ${nameIn(table, time.name)} >= @since\n{{/if}}`,
          `{{#if given.until}}\n  AND ${nameIn(table, time.name)} < @until\n{{/if}}`,
        ]
  const conditions = time !== null && always.length === 0 ? ['TRUE'] : always
  const columns = table.columns.map(column => nameIn(table, column.name))
  const line = `SELECT ${columns.join(', ')}`
  return {
    description: `${time === null ? 'Rows' : 'The newest rows'} of ${table.name}${tenant ? ` of one ${tenant.name}` : ''}.`,
    parameters: {
      ...tenantParameter(facts),
      ...(type && {
        since: { type, description: `Only rows from this ${time!.name} on.` },
        until: { type, description: `Only rows before this ${time!.name}.` },
      }),
    },
    interval: null,
    sql: [
      line.length > LINE_WIDTH ? `SELECT\n  ${columns.join(',\n  ')}` : line,
      `FROM \`${table.name}\``,
      ...where(conditions),
      ...optional,
      ...(time === null ? [] : [`ORDER BY ${nameIn(table, time.name)} DESC`]),
    ].join('\n'),
    tests: [testsOfRows(facts)],
  }
}

function testsOfRows(facts: Facts): string {
  const { table, time, tenant, parameter } = facts
  const tenantArgs = tenantArgument(facts)
  const isOrdered = time !== null && isPlain(time.name)
  const all: TestSpec = {
    name: `${tenant ? `only rows of its ${tenant.name}` : 'all rows'}${time ? ', the newest first' : ''}`,
    arguments: tenantArgs,
    expect: {
      count: tenant ? 2 : 3,
      columns: table.columns.map(column => column.name),
      ...(isOrdered && { ordered_by: [`${time.name} desc`] }),
    },
  }
  const rows = [testRow(facts, 0, 0), testRow(facts, 1, 0), testRow(facts, 0, 1)]
  return testText({ [table.name]: rows }, [
    all,
    ...(time ? boundaryCases(time, tenantArgs, tenant ? 1 : 2) : []),
    ...(parameter === null ? [] : [missingCase(`${parameter} is required`, [parameter])]),
  ])
}

/** Tests that `since` includes its time, and that `until` excludes it. */
function boundaryCases(time: StructField, tenantArgs: object, newest: number): readonly TestSpec[] {
  const [newestTime, since] = [timeBefore(time, 0), timeBefore(time, 1)]
  return [
    { name: 'rows from since on', arguments: { ...tenantArgs, since: newestTime }, expect: { count: newest } },
    { name: 'rows before until', arguments: { ...tenantArgs, until: newestTime }, expect: { count: 1 } },
    {
      name: 'rows from since on that are before until',
      arguments: { ...tenantArgs, since, until: newestTime },
      expect: { count: 1 },
    },
  ]
}

// ---- counts in buckets

/** Without months, which TIMESTAMP_SUB does not take. */
const TIMED_ROWS = {
  '1hr': { bucket: 'MINUTE', size: 1, unit: 'HOUR' },
  '1day': { bucket: 'HOUR', size: 1, unit: 'DAY' },
  '7day': { bucket: 'DAY', size: 7, unit: 'DAY' },
}
const DATED_ROWS = {
  '7day': { bucket: 'DAY', size: 7, unit: 'DAY' },
  '90day': { bucket: 'WEEK', size: 90, unit: 'DAY' },
  '1year': { bucket: 'MONTH', size: 12, unit: 'MONTH' },
}

function countsOf(facts: Facts & { readonly time: StructField }): SpecificMembers {
  const { table, time, tenant } = facts
  const kind = time.type.kind
  const rows = kind === 'DATE' ? DATED_ROWS : TIMED_ROWS
  const fallback = kind === 'DATE' ? '7day' : '1day'
  const now = kind === 'TIMESTAMP' ? '@now' : `${kind}(@now)`
  const from = `${kind}_TRUNC(${kind}_SUB(${now}, INTERVAL {{interval.size}} {{interval.unit}}), {{interval.bucket}})`
  const conditions = [...tenantCondition(facts), `${nameIn(table, time.name)} >= ${from}`]
  return {
    description: `How many rows ${table.name} has in each bucket of time${tenant ? `, of one ${tenant.name}` : ''}.`,
    parameters: {
      ...tenantParameter(facts),
      interval: {
        type: 'string',
        description: `The period to look back, which also determines the size of the buckets. Any other value counts as ${fallback}.`,
        default: fallback,
        examples: Object.keys(rows),
      },
    },
    interval: { rows, fallback },
    sql: [
      `SELECT ${kind}_TRUNC(${nameIn(table, time.name)}, {{interval.bucket}}) AS bucket, COUNT(*) AS count`,
      `FROM \`${table.name}\``,
      ...where(conditions),
      'GROUP BY bucket',
      'ORDER BY bucket',
    ].join('\n'),
    tests: [testsOfCounts(facts, Object.keys(rows))],
  }
}

function testsOfCounts(facts: Facts & { readonly time: StructField }, intervals: readonly string[]): string {
  const { table, time, tenant, parameter } = facts
  const tenantArgs = tenantArgument(facts)
  const bucket = timeBefore(time, 0)
  const columns = ['bucket', 'count']
  const expect = { count: 1, columns, contains: [{ count: tenant ? 2 : 3 }], ordered_by: ['bucket'] }
  const old = { ...testRow(facts, 0, 0), [time.name]: bucket.replace(/^\d{4}/, '2020') }
  return testText({ [table.name]: [testRow(facts, 0, 0), testRow(facts, 0, 0), testRow(facts, 0, 1)] }, [
    ...intervals.map(interval => ({ name: interval, arguments: { ...tenantArgs, interval }, expect })),
    {
      name: 'any other interval counts as the default',
      arguments: { ...tenantArgs, interval: 'fortnight' },
      expect: { same_as: { arguments: tenantArgs } },
    },
    {
      name: 'rows that are too old are not counted',
      arguments: { ...tenantArgs, interval: intervals[0] },
      tables: { [table.name]: [old] },
      expect: { rows: [] },
    },
    ...(parameter === null ? [] : [missingCase(`${parameter} is required`, [parameter])]),
  ])
}

// ---- rows of tests

/** The argument for the tenant whose rows are tested. */
const tenantArgument = ({ tenant, parameter }: Facts): object =>
  tenant === null ? {} : { [parameter!]: tenant.type.kind === 'INT64' ? 1 : 'a' }

/** A row that is `before` minutes (for a DATE: days) older than the newest; `other` is 0 for a row of the tested tenant. */
function testRow({ table, time, tenant }: Facts, before: number, other: 0 | 1): Record<string, unknown> {
  const values = sampleRow(table.columns)
  if (time) values[time.name] = timeBefore(time, before)
  if (tenant) values[tenant.name] = tenant.type.kind === 'INT64' ? 1 + other : 'ab'[other]
  return values
}

function timeBefore({ type }: StructField, before: number): string {
  const isDate = type.kind === 'DATE'
  const time = new Date(Date.parse(TEST_NOW) - before * (isDate ? 86_400_000 : 60_000))
  const text = time.toISOString().replace('.000Z', 'Z')
  if (isDate) return text.slice(0, 10)
  return type.kind === 'DATETIME' ? text.slice(0, -1) : text
}
