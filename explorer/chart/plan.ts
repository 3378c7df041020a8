/** Which chart a result makes, from the types and names of its columns; none where no type asks for one. */
import type { Column } from '../api/contract.js'
import { secondsOf } from '../value/times.js'
import { kindOf } from '../value/types.js'

/** The most lines: readers cannot distinguish more. */
const MAX_SERIES = 8
/** The most bars: readers cannot read more. */
const MAX_BARS = 50
/** The most values of a column that splits a number into lines. */
const MAX_CATEGORIES = 12

export interface Series {
  readonly name: string
  readonly unit: string | null
  /** Beside the seconds of the plan; null is a gap, and undefined a place that only another line has. */
  readonly values: readonly (number | null | undefined)[]
  /** It belongs to the result that this one is compared with. */
  readonly isBefore?: true
}

export interface LinePlan {
  readonly kind: 'lines'
  /** The column of times. */
  readonly x: string
  /** A TIMESTAMP is shown in the reader's zone; a DATETIME and a DATE have none. */
  readonly hasZone: boolean
  /** Ascending. */
  readonly seconds: readonly number[]
  readonly series: readonly Series[]
  /** Several rows have one time and nothing tells them apart: their points are not joined. */
  readonly isScattered?: true
}

export interface BarPlan {
  readonly kind: 'bars'
  readonly label: string
  readonly name: string
  readonly unit: string | null
  readonly bars: readonly { readonly label: string; readonly value: number | null }[]
  /** The bars that are left out. */
  readonly left: number
}

export type ChartPlan = LinePlan | BarPlan

type Row = readonly unknown[]
/** A column with its place in each row. */
type Placed = Column & { readonly at: number }

export function planChart(columns: readonly Column[], rows: readonly Row[]): ChartPlan | null {
  const placed: readonly Placed[] = columns.map((column, at) => ({ ...column, at }))
  const numbers = placed.filter(column => kindOf(column.type) === 'number' && !isIdentifier(column))
  if (numbers.length === 0 || rows.length === 0) return null
  const time = placed.find(({ type }) => kindOf(type) === 'time')
  if (time) return planLines(time, numbers, placed, rows)
  const label = placed.find(({ type }) => type.startsWith('STRING'))
  return label ? planBars(label, numbers[0]!, rows) : null
}

/** `id`, `order_id`, `orderId`: a number that is not an amount. */
const isIdentifier = ({ name, unit }: Column): boolean =>
  unit === undefined && (/(?:^|_)id$/i.test(name) || /[a-z]I[dD]$/.test(name))

function planLines(
  time: Placed,
  numbers: readonly Placed[],
  columns: readonly Placed[],
  rows: readonly Row[],
): LinePlan | null {
  const at = rows.map(row => secondsOf(time.type, row[time.at]))
  const order = at.flatMap((seconds, i) => (seconds === null ? [] : [i])).sort((a, b) => at[a]! - at[b]!)
  if (order.length === 0) return null
  const times = order.map(i => at[i]!)
  const isRepeated = times.some((seconds, i) => seconds === times[i - 1])
  const category = isRepeated ? categoryOf(columns, rows) : null
  const facts = { kind: 'lines', x: time.name, hasZone: time.type.startsWith('TIMESTAMP') } as const
  const isSplit = category !== null && hasOneRowEach(order.map(i => [at[i], rows[i]![category.at]]))
  if (isSplit) return { ...facts, ...splitBy(category, numbers[0]!, rows, order, times) }
  const series = numbers.slice(0, MAX_SERIES).map(({ name, unit = null, at: place }) => ({
    name,
    unit,
    values: order.map(i => numberOf(rows[i]![place])),
  }))
  if (isRepeated) return { ...facts, seconds: times, series, isScattered: true }
  return { ...facts, ...withGaps({ seconds: times, series }) }
}

const hasOneRowEach = (keys: readonly (readonly unknown[])[]): boolean =>
  new Set(keys.map(key => JSON.stringify(key))).size === keys.length

/** The first STRING of few values, which then are lines of their own. */
function categoryOf(columns: readonly Placed[], rows: readonly Row[]): Placed | null {
  for (const column of columns) {
    if (!column.type.startsWith('STRING')) continue
    const values = new Set<unknown>()
    for (const row of rows) {
      values.add(row[column.at])
      if (values.size > MAX_CATEGORIES) break
    }
    if (values.size > 1 && values.size <= MAX_CATEGORIES) return column
  }
  return null
}

/** A line for each value of the category; of more than eight, those that come first. */
function splitBy(
  category: Placed,
  number: Placed,
  rows: readonly Row[],
  order: readonly number[],
  times: readonly number[],
): Pick<LinePlan, 'seconds' | 'series'> {
  const seconds = [...new Set(times)]
  const place = new Map(seconds.map((second, i) => [second, i]))
  const lines = new Map<string, (number | null)[]>()
  order.forEach((i, n) => {
    const name = textOf(rows[i]![category.at])
    if (!lines.has(name) && lines.size < MAX_CATEGORIES)
      lines.set(
        name,
        seconds.map(() => null),
      )
    const values = lines.get(name)
    if (values) values[place.get(times[n]!)!] = numberOf(rows[i]![number.at])
  })
  const series = [...lines].slice(0, MAX_SERIES).map(([name, values]) => ({ name, unit: number.unit ?? null, values }))
  return withGaps({ seconds, series })
}

/** Where times have equal distances, a missing time is a gap, and no line is drawn over it. */
function withGaps({ seconds, series }: Pick<LinePlan, 'seconds' | 'series'>): Pick<LinePlan, 'seconds' | 'series'> {
  const step = regularStep(seconds)
  if (step === null) return { seconds, series }
  const breaks = seconds.flatMap((second, i) => (i > 0 && second - seconds[i - 1]! > step * 1.5 ? [i] : []))
  if (breaks.length === 0) return { seconds, series }
  const before = new Set(breaks)
  const spread = <T>(values: readonly T[], between: (i: number) => T): T[] =>
    values.flatMap((value, i) => (before.has(i) ? [between(i), value] : [value]))
  return {
    seconds: spread(seconds, i => seconds[i - 1]! + step),
    series: series.map(line => ({ ...line, values: spread<number | null | undefined>(line.values, () => null) })),
  }
}

/** The smallest distance, if more than half of all distances are this one. */
function regularStep(seconds: readonly number[]): number | null {
  const steps = seconds.slice(1).map((second, i) => second - seconds[i]!)
  const smallest = steps.reduce((least, step) => (step > 0 && step < least ? step : least), Infinity)
  const regular = steps.filter(step => Math.abs(step - smallest) <= smallest * 0.01).length
  return Number.isFinite(smallest) && regular * 2 > steps.length ? smallest : null
}

function planBars(label: Placed, number: Placed, rows: readonly Row[]): BarPlan | null {
  const bars = rows.slice(0, MAX_BARS).map(row => ({ label: textOf(row[label.at]), value: numberOf(row[number.at]) }))
  if (bars.every(({ value }) => value === null)) return null
  const { name, unit = null } = number
  return { kind: 'bars', label: label.name, name, unit, bars, left: Math.max(0, rows.length - MAX_BARS) }
}

const textOf = (value: unknown): string => (value === null || value === undefined ? 'NULL' : String(value))

/** Null for NULL, NaN and infinity: nothing can be drawn there. */
function numberOf(value: unknown): number | null {
  if (value === null || value === undefined) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** The unit of the left axis and that of the right one; series of a third unit have no axis. */
export function axesOf(series: readonly Series[]): readonly (string | null)[] {
  return [...new Set(series.map(({ unit }) => unit))].slice(0, 2)
}
