/** Earlier calls of this tab. */
import type { Endpoint } from '../api/contract.js'
import { addressOf } from '../state/address.js'
import { forgetCalls, type PastCall, pastCalls } from '../state/history.js'
import { durationText } from '../value/units.js'
import { ClockTime } from './clock-time.js'

const WORDS: Readonly<Record<PastCall['outcome'], string>> = {
  hit: 'hit',
  miss: 'miss',
  shared: 'miss, shared',
  stale: 'stale',
  fresh: 'new result',
  uncached: 'not cached',
}

export function History({ of }: { of: Endpoint }) {
  const mine = pastCalls.value.filter(({ endpoint }) => endpoint === of.name)
  if (mine.length === 0)
    return <p class="hint">The calls of this tab come here, with their time and what the cache did.</p>
  return (
    <div class="history">
      <ol>
        {mine.map(past => (
          <li key={past.at}>
            <a href={addressOf(past.endpoint, past.args, of.parameters)}>
              <ClockTime of={past.at} /> <span class="args">{argumentsText(past)}</span>{' '}
              <span class="muted">
                {past.rowCount} {past.rowCount === 1 ? 'row' : 'rows'} · {WORDS[past.outcome]} ·{' '}
                {durationText(past.elapsedMs)}
              </span>
            </a>
          </li>
        ))}
      </ol>
      <button type="button" class="quiet" onClick={forgetCalls}>
        Forget all calls
      </button>
    </div>
  )
}

function argumentsText({ args }: PastCall): string {
  const all = Object.entries(args).map(([name, value]) => `${name}=${String(value)}`)
  return all.length === 0 ? 'no arguments' : all.join(' ')
}
