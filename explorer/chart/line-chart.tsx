/** Lines over time, drawn by uPlot. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { isDark, zone } from '../state/preferences.js'
import { timeText } from '../value/times.js'
import { amountText } from '../value/units.js'
import { saveFile } from '../view/downloads.js'
import { coloursOf } from './colours.js'
import { pictureOf } from './picture.js'
import { axesOf, type LinePlan, type Series } from './plan.js'

const HEIGHT_PX = 260

interface LineChartProps {
  readonly plan: LinePlan
  readonly name: string
}

export function LineChart({ plan, name }: LineChartProps) {
  const { x, seconds, series } = plan
  const holder = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const hidden = useSignal<ReadonlySet<string>>(hiddenAtFirst(series))
  /** The place under the pointer. */
  const at = useSignal<number | null>(null)
  const isZoomed = useSignal(false)
  const axes = useMemo(() => axesOf(series.filter(line => !hidden.value.has(line.name))), [series, hidden.value])
  const entries = useMemo(() => legendOf(series, isDark.value), [series, isDark.value])

  const names = series.map(line => `${line.name} ${line.isBefore ?? false}`).join('\n')
  const namesBefore = useRef(names)
  useLayoutEffect(() => {
    // The lines are the same as before: those that the reader has hidden stay hidden.
    if (namesBefore.current !== names) hidden.value = hiddenAtFirst(series)
    namesBefore.current = names
  }, [plan])
  useEffect(() => {
    const parent = holder.current!
    const drawn = new uPlot(
      optionsOf(plan, { axes, hidden: hidden.value, width: parent.clientWidth, at, isZoomed }),
      [seconds as number[], ...series.map(({ values }) => values as (number | null | undefined)[])],
      parent,
    )
    chart.current = drawn
    isZoomed.value = false
    const observer = new ResizeObserver(() => drawn.setSize({ width: parent.clientWidth, height: HEIGHT_PX }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = null
    }
  }, [plan, axes, isDark.value, zone.value])

  const toggle = (entry: string): void => {
    const next = new Set(hidden.value)
    if (!next.delete(entry)) next.add(entry)
    hidden.value = next
  }
  const shown = entries.filter(entry => !hidden.value.has(entry.name))
  const when = at.value === null ? null : timeOf(plan, seconds[at.value]!)
  const label = `${plan.isScattered ? 'Points' : 'Line chart'} of ${shown.map(line => line.name).join(', ')} by ${x}: ${seconds.length} points`
  const savePicture = async (): Promise<void> => {
    const canvas = chart.current?.ctx.canvas
    const legend = shown
    if (canvas) saveFile(await pictureOf(canvas, { title: name, legend }), `${name}.png`)
  }
  return (
    <figure class="chart lines">
      <div class="legend">
        {entries.map(({ name: entry, own, before, colour }) => {
          const isHidden = hidden.value.has(entry)
          return (
            <button
              type="button"
              key={entry}
              aria-pressed={!isHidden}
              title={isHidden ? 'Show this line' : 'Hide this line'}
              onClick={() => toggle(entry)}
            >
              <span class="swatch" style={{ background: colour }} />
              <bdi>{entry}</bdi>
              {!isHidden && at.value !== null && (
                <span class="value">
                  {own && valueAt(own, at.value)}
                  {before && <span class="before"> before: {valueAt(before, at.value)}</span>}
                </span>
              )}
            </button>
          )
        })}
        <span class="space" />
        <span class="when">{when}</span>
        {isZoomed.value && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              chart.current?.setScale('x', { min: seconds[0]!, max: seconds.at(-1)! })
              isZoomed.value = false
            }}
          >
            Whole time
          </button>
        )}
        <button type="button" class="quiet small" onClick={() => void savePicture()}>
          Save picture
        </button>
      </div>
      <div ref={holder} class="plot" role="img" aria-label={label} />
    </figure>
  )
}

interface Entry {
  readonly name: string
  readonly colour: string
  readonly own: Series | undefined
  /** The line that it is compared with: dashed, in the same colour, and hidden with it. */
  readonly before: Series | undefined
}

function legendOf(series: readonly Series[], isDarkNow: boolean): readonly Entry[] {
  const { lines } = coloursOf(isDarkNow)
  return [...new Set(series.map(({ name }) => name))].map((name, i) => {
    const find = (isBefore: boolean): Series | undefined =>
      series.find(line => line.name === name && (line.isBefore ?? false) === isBefore)
    return { name, colour: lines[i % lines.length]!, own: find(false), before: find(true) }
  })
}

function valueAt({ values, unit }: Series, place: number): string {
  const value = values[place]
  return value === null || value === undefined ? '–' : amountText(value, unit)
}

/** Readers cannot distinguish twice as many lines, so a comparison begins with the first few. */
const MAX_COMPARED = 2

/** Series of a third unit begin hidden: there are two axes. */
function hiddenAtFirst(series: readonly Series[]): ReadonlySet<string> {
  const axes = axesOf(series)
  const names = [...new Set(series.map(({ name }) => name))]
  const isCompared = series.some(({ isBefore }) => isBefore)
  const outside = series.filter(({ unit }) => !axes.includes(unit)).map(({ name }) => name)
  return new Set([...outside, ...(isCompared && names.length > MAX_COMPARED + 1 ? names.slice(MAX_COMPARED) : [])])
}

interface Drawn {
  readonly axes: readonly (string | null)[]
  readonly hidden: ReadonlySet<string>
  readonly width: number
  readonly at: { value: number | null }
  readonly isZoomed: { value: boolean }
}

function optionsOf(plan: LinePlan, { axes, hidden, width, at, isZoomed }: Drawn): uPlot.Options {
  const { seconds, series } = plan
  const { grid, text } = coloursOf(isDark.value)
  const colours = new Map(legendOf(series, isDark.value).map(({ name, colour }) => [name, colour]))
  const scaleOf = (unit: string | null): string => (axes.indexOf(unit) === 1 ? 'right' : 'left')
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: FONT }
  const isShared = zone.value === 'utc' || !plan.hasZone
  return {
    width,
    height: HEIGHT_PX,
    // Half of a date's text extends beyond the end of the axis.
    padding: [14, axes.length > 1 ? 0 : 38, 0, 0],
    ...(isShared && { tzDate: (second: number) => uPlot.tzDate(new Date(second * 1000), 'Etc/UTC') }),
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false } },
    scales: { x: { time: true } },
    axes: [
      { ...axis, grid: { show: false }, space: 70, values: TIMES },
      ...axes.map((unit, i) => ({
        ...axis,
        scale: i === 0 ? 'left' : 'right',
        side: i === 0 ? 3 : 1,
        grid: i === 0 ? axis.grid : { show: false },
        size: (_: uPlot, values: string[] | null) => 18 + 7 * Math.max(4, ...(values ?? []).map(value => value.length)),
        values: (_: uPlot, ticks: number[]) => ticks.map(tick => amountText(tick, unit)),
      })),
    ],
    series: [
      {},
      ...series.map(line => ({
        label: line.name,
        show: !hidden.has(line.name),
        scale: scaleOf(line.unit),
        stroke: colours.get(line.name)!,
        ...(line.isBefore && { dash: [5, 4] }),
        ...(plan.isScattered && { paths: () => null }),
        width: 1.75,
        spanGaps: false,
        points: {
          show: true,
          size: 5,
          fill: colours.get(line.name)!,
          ...(!plan.isScattered && { filter: pointsOf(line, seconds.length, width) }),
        },
      })),
    ],
    hooks: {
      setCursor: [
        drawn => {
          at.value = drawn.cursor.idx ?? null
        },
      ],
      setSelect: [
        drawn => {
          isZoomed.value = drawn.select.width > 0
        },
      ],
    },
  }
}

const DAY = '\n{YYYY}-{MM}-{DD}'

/** How ticks are written, by the seconds between them: of each tick itself, and below the first, where a year, a day, a minute begins. */
const TIMES: (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [3_600, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [60, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', DAY, null, DAY, null, null, null, 1],
  [0.001, ':{ss}.{fff}', `${DAY} {HH}:{mm}`, null, `${DAY} {HH}:{mm}`, null, '\n{HH}:{mm}', null, 1],
]

const FONT = '12px system-ui, sans-serif'

/** Draws all points where there are few; among many, only those that no line reaches, which would not be seen otherwise. */
function pointsOf({ values }: Series, count: number, width: number): uPlot.Series.Points.Filter {
  const isFew = count * 12 < width
  return (_drawn, _series, show) => {
    if (!show) return null
    return values.flatMap((value, i) => {
      if (value === null || value === undefined) return []
      const isAlone = (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null
      return isFew || isAlone ? [i] : []
    })
  }
}

function timeOf({ hasZone }: LinePlan, second: number): string {
  const text = new Date(second * 1000).toISOString()
  const shown = timeText(hasZone ? 'TIMESTAMP' : 'DATETIME', hasZone ? text : text.slice(0, -1), zone.value)
  return shown.replace(/\.0+$/, '')
}
