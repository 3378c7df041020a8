/** Asks for a token. */
import { useEffect, useRef } from 'preact/hooks'
import { isSigningIn, sessionProblem, signIn } from '../state/session.js'
import { Alert } from './problem.js'

export function SignIn() {
  const field = useRef<HTMLInputElement>(null)
  const problem = sessionProblem.value
  useEffect(() => {
    if (field.current === null || isSigningIn.value) return
    field.current.value = ''
    field.current.focus()
  }, [problem])
  const send = (event: Event): void => {
    event.preventDefault()
    const text = field.current?.value.trim() ?? ''
    if (text !== '') void signIn(text)
  }
  return (
    <section class="sign-in card">
      <h1>Open the endpoints</h1>
      <p class="muted">
        Your token decides which endpoints you see. It stays in this tab, and is never part of an address.
      </p>
      {problem && <Alert problem={problem} />}
      <form onSubmit={send}>
        <label for="token">Token</label>
        <div class="row">
          <input
            id="token"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            disabled={isSigningIn.value}
          />
          <button type="submit" class="primary" disabled={isSigningIn.value}>
            Continue
          </button>
        </div>
      </form>
      <p class="hint">
        No token? <code>sluice serve</code> prints one on its first start, and{' '}
        <code>sluice token create --name me --allow '*' --all-tenants</code> makes another.
      </p>
    </section>
  )
}
