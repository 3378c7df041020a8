/** Manifest → endpoint: computes everything that does not depend on the arguments of a call. */
import { createHash } from 'node:crypto'
import { parseByteSize } from '../model/byte-size.js'
import type { CachePolicy, Endpoint, ExportPolicy, PagePolicy } from '../model/endpoint.js'
import type { Lookup, Manifest, Pages } from '../model/manifest.js'
import type { Parameter } from '../model/param.js'
import type { BoundValue } from '../model/query.js'
import { variantIndexer } from '../template/variants.js'
import { argumentText } from './argument-text.js'
import { bigqueryType } from './bigquery-type.js'
import type { CheckedSql } from './check/rule.js'
import { compileParameter } from './constraints.js'
import { compileContract } from './contract.js'
import type { ExpandedSql } from './expand-sql.js'
import { instantText } from './instant-text.js'
import type { Partial } from './load-partials.js'
import { EXPORT_DEFAULTS, PAGE_DEFAULTS, SETTING_DEFAULTS } from './setting-defaults.js'
import { tenantParameter } from './tenant.js'

/** What endpoints depend on besides their manifests. */
export interface CompileOptions {
  /** Identifies the engine and its data, on which results depend besides the manifest. @default '' */
  readonly engineIdentity?: string
  /** The hash of the tables and functions that queries may name. @default '' */
  readonly definitions?: string
  /** What happens to undeclared arguments where a manifest does not say. @default ignore */
  readonly unknownArguments?: 'ignore' | 'reject'
  /** The most characters of an argument of `format: re2`. @default 1024 */
  readonly maxRegexpLength?: number
}

export interface CompileInput {
  readonly manifest: Manifest
  readonly expanded: ExpandedSql
  /** The SQL texts with the results of the engine's checks. */
  readonly checked: readonly CheckedSql[]
  readonly partials: ReadonlyMap<string, Partial>
  /** Rows for documents; see Endpoint. */
  readonly example: readonly unknown[] | null
}

const MICROS_PER = {
  none: 1n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 86_400_000_000n,
} as const

/** Compiles a manifest into a frozen endpoint. The manifest must have no errors. */
export function compileEndpoint(input: CompileInput, options: CompileOptions): Endpoint {
  const { manifest, example } = input
  const { unknownArguments = SETTING_DEFAULTS.unknown_arguments } = options
  const pages = manifest.settings?.pages && { ...PAGE_DEFAULTS, ...manifest.settings.pages }
  const settings = {
    ...SETTING_DEFAULTS,
    unknown_arguments: unknownArguments,
    ...manifest.settings,
    ...(pages && { pages }),
  }
  const parameters = compileParameters(manifest, options.maxRegexpLength)
  return Object.freeze({
    id: manifest.id.toLowerCase(),
    name: manifest.name,
    description: manifest.description ?? '',
    parameters,
    tenant: tenantParameter(manifest),
    columns: compileContract(manifest.columns, input.checked),
    tables: tablesOf(input.checked),
    maxRows: settings.max_rows,
    cache: compileCache(settings.cache),
    pages: pages === undefined ? null : compilePages(pages),
    timeoutMs: milliseconds(settings.timeout_seconds),
    export: settings.export === undefined ? null : compileExport(settings.export),
    timestamps: settings.timestamps,
    maxBytesBilled: settings.max_bytes_billed === undefined ? null : bytesOf(settings.max_bytes_billed),
    maxResultBytes: settings.max_result_bytes === undefined ? null : bytesOf(settings.max_result_bytes),
    labels: Object.freeze({ ...settings.labels }),
    revision: revisionOf(input, options),
    example,
    rejectsUnknown: settings.unknown_arguments === 'reject',
    settings: Object.freeze(settings),
    render: compileRender(parameters, input, MICROS_PER[settings.now_granularity]),
  })
}

function compileParameters(manifest: Manifest, maxRegexpLength: number | undefined): readonly Parameter[] {
  const lookups = Object.values(manifest.lookups ?? {})
  const rejectingLookups = lookups.filter(lookup => lookup.default === 'reject')
  const compiled = Object.entries(manifest.parameters ?? {}).map(([name, authored]) => {
    const tables = rejectingLookups.filter(lookup => lookup.by === name)
    const [first, ...others] = tables.map(lookup => Object.keys(lookup.rows))
    const rows = first?.filter(row => others.every(other => other.includes(row)))
    const rowFacts = rows ? { rows } : openRowsOf(lookups.filter(lookup => lookup.by === name))
    return compileParameter(name, authored, rowFacts, maxRegexpLength)
  })
  return Object.freeze(compiled)
}

/** The rows of lookup tables without `default: reject`: any other argument picks the default row. */
function openRowsOf(lookups: readonly Lookup[]): Pick<Parameter, 'openRows' | 'fallbackRow'> {
  if (lookups.length === 0) return {}
  const [fallback, ...others] = new Set(lookups.map(lookup => lookup.default))
  const openRows = Object.freeze([...new Set(lookups.flatMap(lookup => Object.keys(lookup.rows)))])
  return { openRows, ...(fallback !== undefined && others.length === 0 && { fallbackRow: fallback }) }
}

function compileCache(cache: NonNullable<Manifest['settings']>['cache']): CachePolicy | null {
  if (cache === undefined || cache === 'disabled') return null
  const untilDataChanges = cache.until !== undefined
  return Object.freeze({
    ttlMs: milliseconds(cache.ttl_seconds ?? (untilDataChanges ? DATA_TTL_SECONDS : 0)),
    warmMs: cache.warm_seconds === undefined ? null : milliseconds(cache.warm_seconds),
    staleIfErrorMs: milliseconds(cache.stale_if_error_seconds),
    staleWhileRevalidateMs: milliseconds(cache.stale_while_revalidate_seconds),
    untilDataChanges,
    settledMs: cache.refresh === 'whole' ? null : milliseconds(cache.settled_seconds ?? SETTLED_SECONDS),
  })
}

function tablesOf(checked: readonly CheckedSql[]): readonly string[] | null {
  if (checked.some(({ tables }) => tables === undefined)) return null
  return Object.freeze([...new Set(checked.flatMap(({ tables = [] }) => tables))])
}

const milliseconds = (seconds = 0): number => Math.ceil(seconds * 1_000)

const compilePages = ({ max_size: maxSize, keep_seconds: seconds }: Required<Pages>): PagePolicy =>
  Object.freeze({ maxSize, keepMs: milliseconds(seconds) })

function compileExport(authored: NonNullable<NonNullable<Manifest['settings']>['export']>): ExportPolicy {
  const { max_rows: maxRows, timeout_seconds: seconds } = { ...EXPORT_DEFAULTS, ...authored }
  return Object.freeze({ maxRows, timeoutMs: milliseconds(seconds) })
}

/** The default of `settled_seconds`: how long after its time a row may still come. */
const SETTLED_SECONDS = 600

/** The ttl of results that are kept until their data changes: a year. */
const DATA_TTL_SECONDS = 31_536_000

/** The size in bytes; the schema has already checked the text. */
function bytesOf(authored: number | string): number {
  return typeof authored === 'number' ? authored : parseByteSize(authored)!
}

/** Compiles the rendering, so that a call only looks up its variant and binds the parameters that the text reads. */
function compileRender(
  parameters: readonly Parameter[],
  { expanded, checked }: CompileInput,
  granularity: bigint,
): Endpoint['render'] {
  const entries = expanded.texts.map(({ sql, argumentNames }) => {
    const names = new Set(argumentNames?.map(({ name }) => name))
    const compiled = checked.find(({ text }) => text.sql === sql)?.compiled
    const readParameters = parameters.filter(({ name }) => names.has(name))
    return [sql, { sql, readParameters, readsNow: names.has('now'), compiled }] as const
  })
  const bySql = new Map(entries)
  const texts = expanded.variants.map(variant => bySql.get(variant.sql)!)
  const indexOf = variantIndexer(expanded.space)
  return (args, nowMicros) => {
    const { sql, readParameters, readsNow, compiled } = texts[indexOf(name => argumentText(args, name))]!
    const values: Record<string, BoundValue> = {}
    for (const { name, type } of readParameters) {
      const value = Object.hasOwn(args, name) ? args[name] : undefined
      values[name] = { type: bigqueryType(type), value: value ?? (type.startsWith('array<') ? [] : null) }
    }
    const now = nowMicros - (((nowMicros % granularity) + granularity) % granularity)
    if (readsNow) values['now'] = { type: 'TIMESTAMP', value: instantText(now) }
    return { sql, parameters: values, ...(compiled && { compiled }) }
  }
}

/** A hash that changes with anything that can change a result: the manifest, its partials, all tables and functions, the engine. */
function revisionOf(
  { manifest, expanded, partials }: CompileInput,
  { definitions = '', engineIdentity = '' }: CompileOptions,
): string {
  const hash = createHash('sha256')
  hash.update(`${RESULT_FORM}\0${JSON.stringify(manifest)}`)
  for (const name of [...expanded.expansion.partials].sort()) hash.update(`\0${name}\0${partials.get(name)!.text}`)
  return hash.update(`\0${definitions}\0${engineIdentity}`).digest('hex')
}

/** Incremented when the same query gives other bytes, so that no store serves those of an earlier version. */
const RESULT_FORM = 2
