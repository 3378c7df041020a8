/** The whole page: a bar on top, the endpoints at the side, and the open one. */
import { endpoint } from '../state/choice.js'
import { flawed } from '../state/edits.js'
import { zone } from '../state/preferences.js'
import { endpoints, forgetToken, isSignedIn, isSigningIn, token, tokenFacts } from '../state/session.js'
import { localZoneName } from '../value/times.js'
import { EndpointList } from './endpoint-list.js'
import { EndpointPage } from './endpoint-page.js'
import { SignIn } from './sign-in.js'

export function App() {
  const isOpen = endpoint.value !== null
  return (
    <>
      <TopBar />
      {isSignedIn.value ? (
        <div class={isOpen ? 'frame has-endpoint' : 'frame'}>
          <EndpointList />
          <main id="main">{isOpen ? <EndpointPage key={endpoint.value?.id} /> : <Welcome />}</main>
        </div>
      ) : (
        <main id="main">{isSigningIn.value && token.value !== null ? <Opening /> : <SignIn />}</main>
      )}
    </>
  )
}

function TopBar() {
  return (
    <header class="top-bar">
      <a class="brand" href="#/" aria-label="Sluice">
        <Mark />
        <span class="brand-name">Sluice</span>
      </a>
      {endpoint.value && (
        <a class="to-list" href="#/">
          Endpoints
        </a>
      )}
      <span class="space" />
      {isSignedIn.value && <ZoneSwitch />}
      {token.value !== null && (
        <>
          {tokenFacts.value && <span class="token-name">{tokenFacts.value.name}</span>}
          <button type="button" class="quiet" onClick={() => forgetToken()}>
            Forget token
          </button>
        </>
      )}
    </header>
  )
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M4 4h16M4 4v16M20 4v16" />
      <path class="water" d="M8.500 8v6M12 8v11M15.500 8v6" />
    </svg>
  )
}

/** Times in UTC or in the reader's zone. */
function ZoneSwitch() {
  return (
    <fieldset class="switch" aria-label="Time zone">
      {(['utc', 'local'] as const).map(one => (
        <button
          type="button"
          key={one}
          aria-pressed={zone.value === one}
          title={one === 'local' ? localZoneName() : 'Coordinated Universal Time'}
          onClick={() => {
            zone.value = one
          }}
        >
          {one === 'utc' ? 'UTC' : 'Local'}
        </button>
      ))}
    </fieldset>
  )
}

const Opening = () => <p class="center muted">Fetching the endpoints…</p>

function Welcome() {
  const all = endpoints.value ?? []
  if (all.length === 0 && flawed.value.length > 0) {
    return (
      <section class="empty">
        <h1>No endpoint is served</h1>
        <p>The manifests have mistakes. Correct and save them: what is served then appears here by itself.</p>
      </section>
    )
  }
  if (all.length === 0) {
    return (
      <section class="empty">
        <h1>No endpoints</h1>
        <p>This token may not call any endpoint of this server. Ask its operator for one that may, or use another.</p>
      </section>
    )
  }
  return (
    <section class="empty wide-only">
      <h1>{all.length === 1 ? 'One endpoint' : `${all.length} endpoints`}</h1>
      <p>
        Choose one at the side, or press <kbd>/</kbd> and type a part of its name. <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs
        it, <kbd>Esc</kbd> cancels.
      </p>
    </section>
  )
}
