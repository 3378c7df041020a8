/** The chart of a result, where its types make one. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Column } from '../api/contract.js'
import type { Row } from '../state/call.js'
import { Bars } from './bars.js'
import { joinPlans } from './join.js'
import { planChart } from './plan.js'

interface ChartProps {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** The name of the endpoint, for the file name of a picture. */
  readonly name: string
  /** A result to compare with, and the seconds by which it is moved. */
  readonly before?: {
    readonly columns: readonly Column[]
    readonly rows: readonly Row[]
    readonly offsetSeconds: number
  }
}

type Drawing = typeof import('./line-chart.js')
let drawing: Drawing | null = null

/** The library that draws lines is half of the page's script: it comes after the first paint. */
export async function loadDrawing(): Promise<Drawing> {
  drawing ??= await import('./line-chart.js')
  return drawing
}

export function Chart({ columns, rows, name, before }: ChartProps) {
  const own = useMemo(() => planChart(columns, rows), [columns, rows])
  const plan = useMemo(() => {
    const other = before ? planChart(before.columns, before.rows) : null
    if (own?.kind !== 'lines' || other?.kind !== 'lines' || own.isScattered || other.isScattered) return own
    return joinPlans(own, other, before!.offsetSeconds)
  }, [own, before?.rows, before?.offsetSeconds])
  const [loaded, setLoaded] = useState(drawing)
  useEffect(() => {
    if (plan?.kind === 'lines' && loaded === null) void loadDrawing().then(setLoaded)
  }, [plan])
  if (plan === null) {
    return (
      <p class="hint">
        No chart: it needs a column of numbers that are not identifiers, beside one of times or of texts.
      </p>
    )
  }
  switch (plan.kind) {
    case 'bars':
      return <Bars plan={plan} />
    case 'lines':
      return loaded ? <loaded.LineChart plan={plan} name={name} /> : <div class="chart is-coming" />
    default:
      return plan satisfies never
  }
}
