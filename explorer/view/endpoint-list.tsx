/** The endpoints that the token may call, searched by name and description. */
import { useSignal } from '@preact/signals'
import { endpoint } from '../state/choice.js'
import { endpoints } from '../state/session.js'
import { SEARCH_ID } from './keys.js'

export function EndpointList() {
  const sought = useSignal('')
  const words = sought.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = (endpoints.value ?? []).filter(({ name, description }) =>
    words.every(word => `${name} ${description}`.toLowerCase().includes(word)),
  )
  /** From the field the arrow leads into the list, and Enter opens the first. */
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
      {found.length === 0 && words.length > 0 && <p class="hint">No endpoint has this in its name or description.</p>}
      <ul class="endpoints">
        {found.map(({ id, name, description }) => (
          <li key={id}>
            <a href={`#/${encodeURIComponent(name)}`} aria-current={endpoint.value?.id === id ? 'page' : undefined}>
              <span class="name">{name}</span> <span class="about">{description}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
