/** The endpoints that the token may call, searched by name and description. */
import { useSignal } from '@preact/signals'
import type { EndpointChange } from '../api/contract.js'
import { address, endpoint } from '../state/choice.js'
import { changeAt, flawed, following, refOf } from '../state/edits.js'
import { flawsInWords, hasErrors } from '../state/flawed.js'
import { endpoints } from '../state/session.js'
import { Interrupted } from './edits.js'
import { SEARCH_ID } from './keys.js'

export function EndpointList() {
  const sought = useSignal('')
  const words = sought.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (text: string): boolean => words.every(word => text.toLowerCase().includes(word))
  const all = endpoints.value ?? []
  const matching = all.filter(({ name, description }) => isFound(`${name} ${description}`))
  const served = new Set(all.map(({ id }) => id))
  const others = flawed.value.filter(change => !served.has(change.id ?? '') && isFound(refOf(change)))
  /** In the search field, the arrow key moves into the list, and Enter opens the first endpoint. */
  const onKey = (event: KeyboardEvent): void => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('.endpoints a')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
    else if (event.key === 'ArrowUp' && at > 0) links[at - 1]?.focus()
    else if (event.key === 'ArrowUp' && at === 0) document.getElementById(SEARCH_ID)?.focus()
    else if (event.key === 'Enter' && at < 0 && !event.ctrlKey && !event.metaKey) links[0]?.click()
    else return
    event.preventDefault()
  }
  return (
    <nav class="side" aria-label="Endpoints" onKeyDown={onKey}>
      <div class="search">
        <input
          id={SEARCH_ID}
          type="search"
          aria-label="Find an endpoint"
          placeholder="Find an endpoint"
          autocomplete="off"
          spellcheck={false}
          value={sought.value}
          onInput={event => {
            sought.value = event.currentTarget.value
          }}
        />
        <span class="key-cap" aria-hidden="true">
          /
        </span>
      </div>
      {matching.length + others.length === 0 && words.length > 0 && (
        <p class="hint">No endpoint has this in its name or description.</p>
      )}
      {following.value === 'interrupted' && <Interrupted />}
      {others.length > 0 && (
        <>
          <h2>Not served</h2>
          <ul class="endpoints">
            {others.map(change => (
              <Flawed key={refOf(change)} change={change} />
            ))}
          </ul>
          <h2>Served</h2>
        </>
      )}
      <ul class="endpoints">
        {matching.map(({ id, name, description }) => (
          <li key={id}>
            <a href={`#/${encodeURIComponent(name)}`} aria-current={endpoint.value?.id === id ? 'page' : undefined}>
              <span class="name">{name}</span> <Flaws change={changeAt(id)} />
              <span class="about">{description}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Flawed({ change }: { change: EndpointChange }) {
  const ref = refOf(change)
  const isOpen = endpoint.value === undefined && changeAt(address.value.ref) === change
  return (
    <li>
      <a href={`#/${encodeURIComponent(ref)}`} aria-current={isOpen ? 'page' : undefined}>
        <span class="name">{change.name ?? change.file ?? 'Other files'}</span> <Flaws change={change} />
        <span class="about">{change.diagnostics[0]?.message}</span>
      </a>
    </li>
  )
}

function Flaws({ change }: { change: EndpointChange | undefined }) {
  if (!change) return null
  return <span class={hasErrors(change) ? 'flaws is-fault' : 'flaws'}>{flawsInWords(change)} </span>
}
