/** The tables of the family `refresh`: their columns, and their rows in files that change. */
import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { fieldsToColumns, type SchemaField } from '../../../googlesql/tables.js'
import type { TableSource } from '../../../runner/engines/duckdb/process/messages.js'
import type { Random } from '../random.js'
import { clamped, DAY, type Era, EXTREMES, fraction, randomTime, type TimeType, timeText } from './times.js'

/** The number of rounds that may run at the same time, each over tables of its own. */
export const LANES = 3

/** The project of all tables, and the dataset of those whose name alone is enough. */
export const PROJECT = 'fuzz-lab'
export const DATASET = 'fuzz'

export interface TableShape {
  readonly name: string
  readonly type: TimeType
  /** The column whose times cut the rows. */
  readonly column: string
  readonly isRequired: boolean
  /** Whether the table has a schema; otherwise its Parquet files tell its columns. */
  readonly isDeclared: boolean
}

const TYPES: readonly TimeType[] = ['TIMESTAMP', 'DATETIME', 'DATE']
const COLUMNS = ['ts', 'Time', 'order']

const SHAPES: readonly TableShape[] = TYPES.flatMap(type =>
  Array.from({ length: LANES }, (_, lane): readonly TableShape[] => {
    const [name, column] = [`${type.toLowerCase()}_${lane}`, COLUMNS[lane % COLUMNS.length]!]
    return [
      { name: `${DATASET}.${name}`, type, column, isRequired: false, isDeclared: true },
      { name: `${DATASET}.required_${name}`, type, column, isRequired: true, isDeclared: true },
      { name: `found.${name}`, type, column, isRequired: false, isDeclared: false },
    ]
  }).flat(),
)

export const shapesOfLane = (lane: number): readonly TableShape[] =>
  SHAPES.filter(({ name }) => name.endsWith(`_${lane}`))

const fieldsOf = ({ type, column, isRequired }: TableShape): readonly SchemaField[] => [
  { name: 'tenant', type: 'STRING' },
  { name: column, type, mode: isRequired ? 'REQUIRED' : 'NULLABLE' },
  { name: 'n', type: 'INTEGER' },
  { name: 'x', type: 'FLOAT' },
  { name: 's', type: 'STRING' },
  { name: 'other', type },
  { name: 'day_text', type: 'STRING' },
  {
    name: 'items',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'k', type: 'STRING' },
      { name: 'v', type: 'INTEGER' },
    ],
  },
]

export const declaredTables = (): readonly TableSource[] => [
  ...SHAPES.filter(({ isDeclared }) => isDeclared).map(shape => ({
    definition: {
      name: shape.name,
      columns: fieldsToColumns(fieldsOf(shape))!,
      ...(shape.isRequired && { required: [shape.column] }),
    },
  })),
  ...Array.from({ length: LANES }, (_, lane) => ({
    definition: { name: namesOfLane(lane), columns: fieldsToColumns(NAMES_FIELDS)! },
  })),
]

const namesOfLane = (lane: number): string => `${DATASET}.names_${lane}`

const NAMES_FIELDS: readonly SchemaField[] = [
  { name: 'tenant', type: 'STRING' },
  { name: 'name', type: 'STRING' },
  { name: 'since', type: 'TIMESTAMP' },
]

/** Writes a file of each table without a schema, so that an engine finds it when it starts. */
export async function writeFoundTables(writer: FileWriter): Promise<void> {
  for (const shape of SHAPES.filter(({ isDeclared }) => !isDeclared)) {
    await new FuzzTable(shape, writer).replace('first.parquet', { format: 'parquet', rows: [] })
  }
}

export interface Row {
  readonly tenant: string
  readonly time: bigint | null
  readonly n: number | null
  /** A multiple of 1/4, so that sums do not depend on the order of the rows. */
  readonly x: number | null
  readonly s: string | null
  readonly other: bigint | null
  readonly items: readonly { readonly k: string; readonly v: number }[]
}

/** A time that Parquet can have, and results cannot show: in the year 12000. */
const AFTER_ALL = 316_516_201_200_000_000n

export const TENANTS = ['a', 'b', 'c']
const TEXTS = ['', 'a', 'b', 'ä"\\', '},{"n":1', '[1,2]', 'null', '😀\n', 'it\'s, "so"']

function randomRow(random: Random, era: Era): Row {
  const time = random.chance(0.004) ? random.pick(EXTREMES) : randomTime(random, era)
  return {
    tenant: random.pick(TENANTS),
    time: random.chance(0.05) ? null : random.chance(0.001) ? AFTER_ALL : time,
    n: random.chance(0.1) ? null : random.between(-3, 9),
    x: random.chance(0.1) ? null : random.between(-40, 40) / 4,
    s: random.chance(0.1) ? null : random.pick(TEXTS),
    other: random.chance(0.1) ? null : randomTime(random, era),
    items: random.several(0, 3, () => ({ k: random.pick(['p', 'q']), v: random.between(0, 5) })),
  }
}

/** `naive`: Parquet with times without a zone, which a schema says are TIMESTAMP. */
export type FileFormat = 'ndjson' | 'csv' | 'parquet' | 'naive'

export interface TableFile {
  readonly format: FileFormat
  readonly rows: readonly Row[]
}

/** Writes files of rows into a data folder. */
export class FileWriter {
  readonly dataDir: string
  readonly #scratch: string
  readonly #connection: DuckDBConnection
  readonly #instance: DuckDBInstance
  #files = 0

  private constructor(folder: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.dataDir = join(folder, 'data')
    this.#scratch = join(folder, 'scratch')
    this.#instance = instance
    this.#connection = connection
    for (const path of [this.dataDir, this.#scratch]) mkdirSync(path, { recursive: true })
  }

  /** The caller closes it. */
  static async open(folder: string): Promise<FileWriter> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    return new FileWriter(folder, instance, await instance.connect())
  }

  /** Replaces the file as a whole, as another program would: by a new file of this name. */
  async write(path: string, { format, rows }: TableFile, shape: TableShape): Promise<void> {
    const scratch = join(this.#scratch, String(this.#files++))
    if (format === 'ndjson' || format === 'csv') writeFileSync(scratch, textOf(format, rows, shape))
    else await this.#writeParquet(scratch, rows, shape, format === 'naive')
    this.#renew(scratch)
    renameSync(scratch, path)
  }

  /** Adds rows at the end of a text file. */
  append(path: string, { format, rows }: TableFile, shape: TableShape): void {
    appendFileSync(path, rows.map(row => lineOf(format, row, shape)).join(''))
    this.#renew(path)
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }

  /** Gives the file a time of change that no other has, and that lies long ago: the engine may wait for files that are still written. */
  #renew(path: string): void {
    const seconds = 1_500_000_000 + this.#files++
    utimesSync(path, seconds, seconds)
  }

  async #writeParquet(
    path: string,
    rows: readonly Row[],
    { type, column }: TableShape,
    isNaive: boolean,
  ): Promise<void> {
    const lines = rows.map(row => ({
      ...row,
      time: numberOf(row.time),
      other: numberOf(row.other),
      day_text: dayTextOf(row),
    }))
    const source = `${path}.rows`
    writeFileSync(source, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    const made = `make_timestamp${type === 'TIMESTAMP' && !isNaive ? 'tz' : ''}`
    const timeOf = (name: string): string => `${made}(${name})${type === 'DATE' ? '::DATE' : ''}`
    const columns =
      "{tenant: 'VARCHAR', time: 'BIGINT', n: 'BIGINT', x: 'DOUBLE', s: 'VARCHAR', other: 'BIGINT', day_text: 'VARCHAR', items: 'STRUCT(k VARCHAR, v BIGINT)[]'}"
    const from = `read_json('${source}', format = 'newline_delimited', columns = ${columns})`
    await this.#connection.run(
      `COPY (SELECT tenant, ${timeOf('time')} AS "${column}", n, x, s, ${timeOf('other')} AS other, day_text, items FROM ${from}) TO '${path}' (FORMAT parquet)`,
    )
    rmSync(source)
  }
}

/** Microseconds of the years 1 to 9999 are more than a number holds exactly: DuckDB reads the text. */
const numberOf = (time: bigint | null): string | null => (time === null ? null : String(time))

/** The day of a row as a text like 20260131; of few rows, another text. */
function dayTextOf({ time, other, n, x }: Row): string {
  if (n === 9 && x === 10) return 'today'
  return timeText('DATE', clamped(time ?? other ?? 0n)).replaceAll('-', '')
}

const textOf = (format: FileFormat, rows: readonly Row[], shape: TableShape): string =>
  (format === 'csv' ? `tenant,${shape.column},n,x,s,other,day_text\n` : '') +
  rows.map(row => lineOf(format, row, shape)).join('')

function lineOf(format: FileFormat, row: Row, { type, column, isRequired }: TableShape): string {
  const { tenant, n, x, s, items } = row
  // Only Parquet may have NULL in a REQUIRED column, and times that cannot be shown.
  const shown = isRequired ? (row.time ?? row.other ?? 0n) : row.time
  const [time, other] = [shown, row.other].map(value => (value === null ? null : timeText(type, clamped(value))))
  const day = dayTextOf(row)
  if (format === 'ndjson')
    return `${JSON.stringify({ tenant, [column]: time, n, x, s, other, day_text: day, items })}\n`
  const cells = [tenant, time, n, x, s === null ? null : `"${s.replaceAll('"', '""')}"`, other, day]
  return `${cells.map(cell => cell ?? '').join(',')}\n`
}

export class FuzzTable {
  readonly shape: TableShape
  readonly files = new Map<string, TableFile>()
  readonly #folder: string
  readonly #writer: FileWriter

  constructor(shape: TableShape, writer: FileWriter) {
    this.shape = shape
    this.#writer = writer
    this.#folder = join(writer.dataDir, shape.name.replace('.', '/'))
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
  }

  async replace(name: string, file: TableFile): Promise<void> {
    await this.#writer.write(join(this.#folder, name), file, this.shape)
    this.files.set(name, file)
  }

  grow(name: string, rows: readonly Row[]): void {
    const file = this.files.get(name)!
    this.#writer.append(join(this.#folder, name), { ...file, rows }, this.shape)
    this.files.set(name, { ...file, rows: [...file.rows, ...rows] })
  }

  remove(name: string): void {
    rmSync(join(this.#folder, name))
    this.files.delete(name)
  }

  rename(name: string, to: string): void {
    renameSync(join(this.#folder, name), join(this.#folder, to))
    this.files.set(to, this.files.get(name)!)
    this.files.delete(name)
  }
}

/** A small table that queries join: names of tenants, several of some and none of others. */
export class NamesTable {
  readonly name: string
  readonly #path: string
  #changes = 0

  constructor(lane: number, { dataDir }: FileWriter) {
    this.name = namesOfLane(lane)
    this.#path = join(dataDir, `${this.name.replace('.', '/')}.ndjson`)
    mkdirSync(dirname(this.#path), { recursive: true })
  }

  change(random: Random): void {
    const rows = random.several(0, 4, () => ({
      tenant: random.pick(TENANTS),
      name: random.pick(TEXTS),
      since: timeText('TIMESTAMP', BigInt(random.between(0, 2_000_000_000)) * 1_000_000n),
    }))
    writeFileSync(this.#path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const seconds = 1_400_000_000 + this.#changes++
    utimesSync(this.#path, seconds, seconds)
  }
}

/** A new name for a file of this format: files of one table are read in the order of their names. */
const newName = (random: Random, format: FileFormat): string =>
  `f${random.between(100, 999)}.${format === 'naive' ? 'parquet' : format}`

function randomFormat(random: Random, { isDeclared, type }: TableShape): FileFormat {
  if (!isDeclared) return 'parquet'
  return random.weighted<FileFormat>([
    [4, 'ndjson'],
    [2, 'csv'],
    [4, 'parquet'],
    [type === 'TIMESTAMP' ? 1 : 0, 'naive'],
  ])
}

/** Rows that are new at this time: most about now, some late. */
function newRows(random: Random, era: Era, now: bigint): readonly Row[] {
  const { length } = era.scale
  const time = random.chance(0.6) ? now - fraction(length, random.next() / 10) : randomTime(random, era)
  return random.several(1, 4, () => near(random, era, time, fraction(length, 0.05)))
}

/** A row of about this time, or now and then of any. */
function near(random: Random, era: Era, time: bigint, length: bigint): Row {
  const row = randomRow(random, era)
  if (row.time === null || row.time === AFTER_ALL || random.chance(0.02)) return row
  const { scale } = era
  return { ...row, time: randomTime(random, { ...era, base: time, scale: { ...scale, length } }) }
}

export async function fillTable(random: Random, era: Era, table: FuzzTable): Promise<void> {
  const { shape } = table
  const { length } = era.scale
  for (let i = random.between(1, 5); i >= 0; i--) {
    const format = randomFormat(random, shape)
    // The rows of most files are of one span of time.
    const [time, share] = random.chance(0.8) ? [randomTime(random, era), 0.2] : [era.base, 1]
    const rows = random.several(0, random.pick([5, 30, 60]), () => near(random, era, time, fraction(length, share)))
    await table.replace(newName(random, format), { format, rows })
  }
}

/** Changes the table as programs do that write it. Returns what has happened. */
export async function changeTable(random: Random, era: Era, table: FuzzTable, now: bigint): Promise<string> {
  const { shape, files } = table
  const names = [...files.keys()].sort()
  const isFew = names.length < 2
  const kind = random.weighted([
    [isFew ? 8 : 2, 'appears'],
    [names.length > 0 ? 4 : 0, 'grows'],
    [names.length > 0 ? 2 : 0, 'changes'],
    [names.length > 0 ? 2 : 0, 'loses'],
    [names.length > 0 ? 1 : 0, 'is written again'],
    [names.length > 0 ? 1 : 0, 'is written in another format'],
    [isFew ? 0 : 3, 'vanishes'],
    [names.length > 0 ? 1 : 0, 'is renamed'],
    [isFew ? 0 : 1, 'gives rows to another'],
    [names.length > 0 ? 0.7 : 0, 'has its rows twice'],
    [names.length > 0 ? 0.5 : 0, 'is emptied'],
  ] as const)
  // The newest file changes most often, so that some come and go.
  const name = (random.chance(0.3) ? [...files.keys()].at(-1) : random.pick(names)) ?? ''
  const file = files.get(name)!
  const rewrite = (rows: readonly Row[]): Promise<void> => table.replace(name, { ...file, rows })
  switch (kind) {
    case 'appears': {
      const format = randomFormat(random, shape)
      await table.replace(newName(random, format), { format, rows: newRows(random, era, now) })
      break
    }
    case 'grows': {
      const rows = newRows(random, era, now)
      if (file.format === 'ndjson' || file.format === 'csv') table.grow(name, rows)
      else await rewrite([...file.rows, ...rows])
      break
    }
    case 'changes':
      await rewrite(file.rows.map(row => (random.chance(0.2) ? changedRow(random, era, row) : row)))
      break
    case 'loses':
      await rewrite(file.rows.filter(() => random.chance(0.8)))
      break
    case 'is written again':
      await rewrite(file.rows)
      break
    case 'is written in another format': {
      const format = randomFormat(random, shape)
      table.remove(name)
      await table.replace(newName(random, format), { format, rows: file.rows })
      break
    }
    case 'vanishes':
      table.remove(name)
      break
    case 'is renamed':
      table.rename(name, newName(random, file.format))
      break
    case 'gives rows to another': {
      const to = random.pick(names.filter(other => other !== name))
      const other = files.get(to)!
      const isGiven = file.rows.map(() => random.chance(0.5))
      await rewrite(file.rows.filter((_, i) => !isGiven[i]))
      await table.replace(to, { ...other, rows: [...other.rows, ...file.rows.filter((_, i) => isGiven[i])] })
      break
    }
    case 'has its rows twice':
      await table.replace(newName(random, file.format), file)
      break
    case 'is emptied':
      await rewrite([])
      break
  }
  return `${name || 'a file'} ${kind}`
}

function changedRow(random: Random, era: Era, row: Row): Row {
  const { time, n, s } = randomRow(random, era)
  return random.weighted<Row>([
    [2, { ...row, n }],
    [1, { ...row, s }],
    [2, { ...row, time }],
    [1, { ...row, time: row.time === null ? time : clamped(row.time + random.pick([-1n, 1n, DAY, -DAY])) }],
    [0.5, { ...row, tenant: random.pick(TENANTS) }],
  ])
}
