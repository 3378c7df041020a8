/** What an author sees of the files while editing them (`serve --dev`). */
import type { Diagnostic, Endpoint, EndpointChange } from '../api/contract.js'
import { changeAt, type Edit, edit, following } from '../state/edits.js'
import { hasErrors } from '../state/flawed.js'
import { zone } from '../state/preferences.js'
import { runAgain } from '../state/rerun.js'
import { timeText } from '../value/times.js'
import { CopyButton } from './copy.js'

/** Above the fields of an endpoint that is served: the mistakes of a newer state, and what the last edit did. */
export function Edits({ of }: { of: Endpoint }) {
  if (following.value === 'off') return null
  const change = changeAt(of.id)
  const last = edit.value?.id === of.id ? edit.value : null
  return (
    <div class="edits">
      {change && hasErrors(change) && (
        <div role="alert" class="alert">
          <strong>The saved manifest has mistakes</strong>
          <p>The state before is served until they are corrected.</p>
          <Diagnostics all={change.diagnostics} />
        </div>
      )}
      {change && !hasErrors(change) && (
        <div class="banner">
          <Diagnostics all={change.diagnostics} />
        </div>
      )}
      <div class="row edit" aria-live="polite">
        {following.value === 'interrupted' && <Interrupted />}
        {last && <p>{textOf(last)}</p>}
        {last?.outcome === 'may-run-again' && (
          <button type="button" onClick={() => againBy(of, last)}>
            Run again
          </button>
        )}
      </div>
    </div>
  )
}

function againBy(of: Endpoint, last: Edit): void {
  runAgain(of)
  edit.value = { ...last, outcome: 'run-again' }
}

function textOf({ at, outcome }: Edit): string {
  const time = timeText('TIMESTAMP', Math.floor(at / 1000) * 1_000_000, zone.value).slice(11)
  switch (outcome) {
    case 'shown':
      return `Saved at ${time}: this is the new state.`
    case 'run-again':
      return `Saved at ${time}: the last call ran again.`
    case 'may-run-again':
      return `Saved at ${time}: the result below is of the state before.`
    case 'failed':
      return `Saved at ${time}, but the server did not give the new state. Load the page again.`
    default:
      return outcome satisfies never
  }
}

/** Instead of an endpoint that is not served. */
export function NotServed({ change }: { change: EndpointChange }) {
  return (
    <article class="endpoint">
      <header>
        <h1>{change.name ?? change.file ?? 'Other files'}</h1>
        <p class="lead">
          {change.file === null
            ? 'These mistakes belong to no manifest.'
            : 'This endpoint is not served: its manifest has mistakes.'}{' '}
          Correct and save the file, and this page follows.
        </p>
      </header>
      <div role="alert" class="alert">
        <Diagnostics all={change.diagnostics} />
      </div>
      {following.value === 'interrupted' && <Interrupted />}
    </article>
  )
}

export const Interrupted = () => <p class="hint">Edits are not followed: the server does not answer. Trying again…</p>

function Diagnostics({ all }: { all: readonly Diagnostic[] }) {
  return (
    <ul class="diagnostics">
      {all.map(({ file, line, column, rule, message, severity }) => {
        const place = `${file}:${line}:${column}`
        return (
          <li key={`${place} ${rule} ${message}`}>
            <div class="row">
              <code>{place}</code>
              <CopyButton what={place} text={() => place} />
            </div>
            <p>
              {severity === 'error' ? '' : `${severity}: `}
              {message} <span class="small">[{rule}]</span>
            </p>
          </li>
        )
      })}
    </ul>
  )
}
