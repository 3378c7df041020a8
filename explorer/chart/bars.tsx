/** Horizontal bars: a text and a number in each row. */
import { amountText } from '../value/units.js'
import type { BarPlan } from './plan.js'

export function Bars({ plan: { label, name, unit, bars, left } }: { plan: BarPlan }) {
  const values = bars.map(({ value }) => value ?? 0)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const share = (value: number): string => `${(100 * value) / (high - low || 1)}%`
  return (
    <figure class="chart bars">
      <figcaption>
        {name} by {label}
      </figcaption>
      <div role="img" aria-label={`Bar chart of ${name} by ${label}: ${bars.length} bars`} class="bar-list">
        {bars.map(({ label: text, value }, i) => (
          <div key={i} class="bar-row">
            <bdi class="bar-label">{text === '' ? '(empty)' : text}</bdi>
            <span class="bar-track">
              {value !== null && (
                <span class="bar" style={{ left: share(Math.min(value, 0) - low), width: share(Math.abs(value)) }} />
              )}
            </span>
            <span class="bar-value">{value === null ? '–' : amountText(value, unit)}</span>
          </div>
        ))}
      </div>
      {left > 0 && <p class="hint">{left} more in the table.</p>}
    </figure>
  )
}
