/** The time of day in the reader's zone; pointing at it shows the date. */
import { zone } from '../state/preferences.js'
import { timeText } from '../value/times.js'

export function ClockTime({ of }: { of: number }) {
  const iso = `${new Date(of).toISOString().slice(0, 19)}Z`
  const text = timeText('TIMESTAMP', iso, zone.value)
  return (
    <time dateTime={iso} title={text}>
      {text.slice(11)}
    </time>
  )
}
