/** What the cache, the engine and the network did for this call. */
import { cacheInWords, type Facts, priceOf } from '../api/facts.js'
import { tokenFacts } from '../state/session.js'
import { bytesText, durationText, usdText } from '../value/units.js'
import { ClockTime } from './clock-time.js'
import { CopyButton } from './copy.js'

export function FactsStrip({ facts }: { facts: Facts }) {
  const { wireBytes, coding, bodyBytes, bytesBilled, etag, requestId, outcome } = facts
  const price = priceOf(facts, tokenFacts.value?.usd_per_tib ?? null)
  return (
    <div class="facts">
      <dl>
        <div class="cache">
          <dt>Cache</dt>
          <dd>
            <span class={`dot ${outcome}`} aria-hidden="true" />
            {cacheInWords(facts)}
          </dd>
        </div>
        <div>
          <dt>Called at</dt>
          <dd>
            <ClockTime of={facts.at} />
          </dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd>{durationText(facts.elapsedMs)}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>
            {bytesText(wireBytes ?? bodyBytes)}
            {coding !== null && (
              <span class="muted">
                {' '}
                {coding}, {bytesText(bodyBytes)} unpacked
              </span>
            )}
          </dd>
        </div>
        {bytesBilled !== null && (
          <div>
            <dt>Billed</dt>
            <dd>
              {bytesBilled === 0 ? 'nothing' : bytesText(bytesBilled)}
              {price !== null && bytesBilled > 0 && <span class="muted"> about {usdText(price)}</span>}
            </dd>
          </div>
        )}
      </dl>
      <TimingBar facts={facts} />
      <details class="more">
        <summary>Headers</summary>
        <dl>
          <HeaderLine name="ETag" value={etag} />
          <HeaderLine name="X-Request-Id" value={requestId} />
          <HeaderLine name="Cache-Status" value={facts.cacheStatus} />
        </dl>
      </details>
    </div>
  )
}

function HeaderLine({ name, value }: { name: string; value: string | null }) {
  if (value === null || value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code> <CopyButton what={name} text={() => value} />
      </dd>
    </div>
  )
}

/** Where the time went: the engine, the rest of the server, and the way to it and back. */
function TimingBar({ facts: { engineMs, serverMs, elapsedMs } }: { facts: Facts }) {
  const engine = engineMs ?? 0
  const server = Math.max(0, (serverMs ?? 0) - engine)
  const network = Math.max(0, elapsedMs - engine - server)
  const parts = [
    { name: 'engine', ms: engine },
    { name: 'server', ms: server },
    { name: 'network', ms: network },
  ].filter(({ name, ms }) => ms > 0 || (name === 'server' && serverMs !== null))
  return (
    <div class="timing">
      <div class="bar" aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <span key={name} class={name} style={{ flexGrow: String(ms) }} />
        ))}
      </div>
      <ul>
        {parts.map(({ name, ms }) => (
          <li key={name} class={name}>
            {name} {durationText(ms)}
          </li>
        ))}
      </ul>
    </div>
  )
}
