/** Chooses what the chart is compared with. */
import { useMemo } from 'preact/hooks'
import { spanOf } from '../chart/join.js'
import { planChart } from '../chart/plan.js'
import type { Result } from '../state/call.js'
import {
  asked,
  compareWithEarlier,
  comparison,
  comparisonProblem,
  keepForComparison,
  stopComparing,
} from '../state/comparison.js'
import { earlierArguments } from '../state/earlier.js'
import { zone } from '../state/preferences.js'
import { timeText } from '../value/times.js'
import { Alert } from './problem.js'

const EARLIER = [
  ['an hour earlier', 3_600],
  ['a day earlier', 86_400],
  ['a week earlier', 604_800],
] as const

/** What can be compared: results with lines, with another result, or with a time that the call or the result reaches. */
function earlierOf(result: Result): readonly (readonly [title: string, seconds: number])[] | null {
  const { rows } = result.fetched.value
  const plan = rows && planChart(result.columns, rows)
  if (plan?.kind !== 'lines') return null
  const { endpoint, args } = result
  const canMove = (seconds: number): boolean => earlierArguments(endpoint.parameters, args, seconds) !== null
  return EARLIER.filter(([, seconds]) => canMove(seconds) || spanOf(plan) > seconds)
}

const titleOf = (offsetSeconds: number): string | undefined =>
  EARLIER.find(([, seconds]) => seconds === offsetSeconds)?.[0]

export function Compare({ result }: { result: Result }) {
  const earlier = useMemo(() => earlierOf(result), [result])
  if (earlier === null) return null
  const now = comparison.value
  const chosen = String(asked.value?.offsetSeconds ?? now?.offsetSeconds ?? '')
  const choose = (value: string): void => {
    if (value === '') stopComparing()
    else if (value === '0') keepForComparison(result)
    else void compareWithEarlier(result, Number(value))
  }
  return (
    <label class="compare">
      <span>Compare with</span>
      <select value={chosen} onChange={event => choose(event.currentTarget.value)}>
        <option value="">nothing</option>
        <option value="0">{now?.offsetSeconds === 0 ? 'the kept result' : 'this result, in the next calls'}</option>
        {earlier.map(([title, seconds]) => (
          <option key={seconds} value={seconds}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** What the dashed lines are. */
export function Compared({ result }: { result: Result }) {
  const now = comparison.value
  if (comparisonProblem.value) return <Alert problem={comparisonProblem.value} />
  if (asked.value) {
    return (
      <p class="hint">
        Asking for the same call {titleOf(asked.value.offsetSeconds)}… <kbd>Esc</kbd> cancels.
      </p>
    )
  }
  if (now === null) return null
  if (now.result === result && now.offsetSeconds === 0) {
    return <p class="hint">This result is kept. Change the fields and run again: both are then in one chart.</p>
  }
  const { args, facts } = now.result
  const at = timeText('TIMESTAMP', new Date(facts.at).toISOString(), zone.value).slice(0, 19)
  const words = Object.entries(args).map(([name, value]) => `${name}=${String(value)}`)
  return (
    <p class="hint">
      Dashed: {words.join(' ') || 'no arguments'},{' '}
      {now.offsetSeconds > 0 ? `${titleOf(now.offsetSeconds)}, moved onto the same axis` : `as of ${at}`}.
    </p>
  )
}
