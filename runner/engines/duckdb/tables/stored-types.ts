/**
 * The types in a Parquet file of values that DuckDB changes when it reads them: it reads a DECIMAL of more than 38 digits as a DOUBLE, and
 * cuts the nanoseconds of most times.
 */
import {
  DuckDBArrayType,
  DuckDBBigIntType,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTimestampType,
  DuckDBTimestampTZType,
  DuckDBTimeType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import { quotePath } from '../../../../googlesql-duckdb/names-and-types.js'

/** The alias that marks a time type whose values have nanoseconds in the file, which DuckDB cuts. */
const CUT_MARK = 'nanoseconds'
const MAX_DIGITS = 38

/** The types of times that have microseconds in DuckDB. */
const CUT_TYPES: Readonly<
  Partial<Record<DuckDBTypeId, typeof DuckDBTimeType | typeof DuckDBTimestampType | typeof DuckDBTimestampTZType>>
> = {
  [DuckDBTypeId.TIME]: DuckDBTimeType,
  [DuckDBTypeId.TIMESTAMP]: DuckDBTimestampType,
  [DuckDBTypeId.TIMESTAMP_TZ]: DuckDBTimestampTZType,
}

export const isCut = ({ alias }: DuckDBType): boolean => alias?.startsWith(CUT_MARK) === true

/** The type of times, marked with the first row that has digits beyond microseconds. @param row null if no row has any: no mark then */
export function markCut(leaf: DuckDBType, row: string | null): DuckDBType {
  const Time = isCut(leaf) && !isInt96(leaf) ? CUT_TYPES[leaf.typeId] : undefined
  if (!Time) return leaf
  return row === null ? Time.create() : new Time(`${CUT_MARK} ${row}`)
}

/** The number of the row that `markCut` has marked; '' where the values were not checked. */
export const rowOfCut = ({ alias = '' }: DuckDBType): string => alias.slice(CUT_MARK.length + 1)

/** Whether the type is INT96: a TIMESTAMP, as BigQuery loads it. Any other time without a zone has nanoseconds in DuckDB. */
export const isInt96 = (type: DuckDBType): boolean => isCut(type) && type.typeId === DuckDBTypeId.TIMESTAMP

/** Whether DuckDB reads the numbers wrongly, since they have too many digits. */
export const isTooWide = (type: DuckDBType): boolean => type instanceof DuckDBDecimalType && type.width > MAX_DIGITS

const DURATION = 'duration in '

/** The unit of a duration; null for any other type. */
export const durationUnit = ({ alias }: DuckDBType): string | null =>
  alias?.startsWith(DURATION) ? alias.slice(DURATION.length) : null

/** The types, with durations marked by their unit: DuckDB reads them as whole numbers. For a table whose types come from its files. */
export async function withDurations(
  connection: DuckDBConnection,
  path: string,
  types: readonly DuckDBType[],
): Promise<readonly DuckDBType[]> {
  if (!types.some(type => leavesOf(type).some(leaf => leaf.typeId === DuckDBTypeId.BIGINT))) return types
  const result = await connection.runAndReadAll(
    `SELECT value FROM parquet_kv_metadata(${quotePath(path)}) WHERE key = 'ARROW:schema'::BLOB`,
  )
  const written = result.getRows()[0]?.[0]
  if (!(written instanceof DuckDBBlobValue)) return types
  const units = await readUnits(written.bytes)
  const durationOf = (leaf: DuckDBType, unit: string | null): DuckDBType =>
    unit === null ? leaf : new DuckDBBigIntType(DURATION + unit)
  return types.map((type, i) => zipLeaves(type, units[i], durationOf))
}

/** The units of durations in Arrow's schema; empty where a program has written anything else in its place. */
async function readUnits(schema: Uint8Array) {
  // Loaded only here: few files have this schema.
  const { durationUnits } = await import('./arrow-durations.js')
  try {
    return durationUnits(Buffer.from(Buffer.from(schema).toString('latin1'), 'base64'))
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

/** What a Parquet file declares about a leaf of a column: `[, precision, scale, hasNanoseconds]`. */
type StoredLeaf = readonly unknown[]

/** The types of columns: DuckDB's types; where DuckDB would change values, the types in the file. */
export async function withStoredTypes(
  connection: DuckDBConnection,
  path: string,
  types: readonly DuckDBType[],
): Promise<readonly DuckDBType[]> {
  if (!types.some(type => leavesOf(type).some(leaf => MISREAD_TYPES.has(leaf.typeId)))) return types
  const stored = await storedColumns(connection, path)
  return types.map((type, i) => zipLeaves(type, stored[i], storedType))
}

/** The types of DuckDB whose values may differ from those in the file. */
const MISREAD_TYPES: ReadonlySet<number> = new Set([DuckDBTypeId.DOUBLE, ...Object.keys(CUT_TYPES).map(Number)])

function storedType(type: DuckDBType, [, precision, scale, hasNanoseconds]: StoredLeaf): DuckDBType {
  if (Number(precision) > MAX_DIGITS) return new DuckDBDecimalType(Number(precision), Number(scale ?? 0))
  const Time = CUT_TYPES[type.typeId]
  return hasNanoseconds && Time ? new Time(CUT_MARK) : type
}

/** The type without the mark of nanoseconds: the type of DuckDB's values. */
export const withoutMark = (leaf: DuckDBType): DuckDBType =>
  isCut(leaf) ? (CUT_TYPES[leaf.typeId]?.create() ?? leaf) : leaf

/** The type as DuckDB reads its values, at any depth: nanoseconds are cut, durations are whole numbers, and INT96 is in UTC. */
export const typeAsRead = (type: DuckDBType): DuckDBType =>
  mapLeaves(type, leaf => {
    if (durationUnit(leaf) !== null) return DuckDBBigIntType.create()
    return isInt96(leaf) ? DuckDBTimestampTZType.create() : withoutMark(leaf)
  })

/** The type with each of its leaves replaced; a leaf is a type without parts. */
export function mapLeaves(type: DuckDBType, map: (leaf: DuckDBType) => DuckDBType): DuckDBType {
  if (type instanceof DuckDBStructType)
    return new DuckDBStructType(
      type.entryNames,
      type.entryTypes.map(entry => mapLeaves(entry, map)),
      type.alias,
    )
  if (type instanceof DuckDBListType) return new DuckDBListType(mapLeaves(type.valueType, map), type.alias)
  if (type instanceof DuckDBArrayType)
    return new DuckDBArrayType(mapLeaves(type.valueType, map), type.length, type.alias)
  if (type instanceof DuckDBMapType)
    return new DuckDBMapType(mapLeaves(type.keyType, map), mapLeaves(type.valueType, map), type.alias)
  return map(type)
}

/** Maps each leaf of the type with the file's facts about it. If the file has another number of leaves (a VARIANT), the type stays. */
function zipLeaves<T>(
  type: DuckDBType,
  facts: readonly T[] = [],
  map: (leaf: DuckDBType, fact: T) => DuckDBType,
): DuckDBType {
  if (facts.length !== leavesOf(type).length) return type
  let next = 0
  return mapLeaves(type, leaf => map(leaf, facts[next++]!))
}

/** The leaves of a type, its parts that have no parts themselves, in the order of the file. */
export function leavesOf(type: DuckDBType): readonly DuckDBType[] {
  const leaves: DuckDBType[] = []
  mapLeaves(type, leaf => {
    leaves.push(leaf)
    return leaf
  })
  return leaves
}

/** What the file declares about the leaves of each of its columns. */
async function storedColumns(connection: DuckDBConnection, path: string): Promise<readonly (readonly StoredLeaf[])[]> {
  const result = await connection.runAndReadAll(
    "SELECT num_children, precision, scale, coalesce(type = 'INT96' OR logical_type LIKE '%NANOS=Nano%', false) " +
      `FROM parquet_schema(${quotePath(path)})`,
  )
  const rows = result.getRows()
  // The schema lists each node before its children.
  let at = 0
  const leaves = (): readonly StoredLeaf[] => {
    const row = rows[at++]!
    const children = Number(row[0] ?? 0)
    return children === 0 ? [row] : Array.from({ length: children }, leaves).flat()
  }
  return Array.from({ length: Number(rows[at++]?.[0] ?? 0) }, leaves)
}
