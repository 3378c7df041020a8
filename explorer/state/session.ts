/** Who uses the page: the token of this tab, and what it may call. */
import { batch, computed, signal } from '@preact/signals'
import { ask, Refused } from '../api/ask.js'
import type { Endpoint, Problem, TokenFacts } from '../api/contract.js'

/** sessionStorage: a reload keeps it, another tab does not have it, and it is gone with this one. */
const KEY = 'sluice.token'

export const token = signal<string | null>(sessionStorage.getItem(KEY))
/** Null until they have been fetched. */
export const endpoints = signal<readonly Endpoint[] | null>(null)
export const tokenFacts = signal<TokenFacts | null>(null)
/** Why there is no list, or why the token was forgotten. */
export const sessionProblem = signal<Problem | null>(null)
export const isSigningIn = signal(false)

/** The token while it is not yet known whether the server accepts it. */
export const isSignedIn = computed(() => token.value !== null && endpoints.value !== null)

/** What a header can hold. */
const SENDABLE = /^[\x21-\x7e]+$/
const NO_TOKEN: Problem = {
  status: 401,
  code: 'TOKEN_UNKNOWN',
  title: 'This is not a token',
  detail: 'A token has letters, digits and signs of ASCII, and no spaces. Was it copied whole?',
}

/** Fetches what the token may call, and keeps the token if the server takes it. */
export async function signIn(text: string): Promise<void> {
  if (!SENDABLE.test(text)) return forgetToken({ ...NO_TOKEN })
  isSigningIn.value = true
  sessionProblem.value = null
  try {
    const list = await fetchEndpoints(text)
    sessionStorage.setItem(KEY, text)
    batch(() => {
      token.value = text
      endpoints.value = list
    })
    void fetchFacts(text)
  } catch (thrown) {
    const problem = problemOf(thrown)
    if (problem.status === 401 || token.value === null) forgetToken(problem)
    else sessionProblem.value = problem
  } finally {
    isSigningIn.value = false
  }
}

/** @throws as `ask` does. */
export async function fetchEndpoints(text: string): Promise<readonly Endpoint[]> {
  const response = await ask('api/endpoints', { token: text })
  return ((await response.json()) as { readonly endpoints: readonly Endpoint[] }).endpoints
}

/** The pause before another attempt, where the server does not answer or is busy; in milliseconds. */
const TRY_AGAIN_MS = 5_000

/**
 * The page works without them, where the token's rate is used up or the server is away: it then offers no more than any token
 * may do, until an attempt succeeds.
 */
async function fetchFacts(text: string): Promise<void> {
  try {
    const facts = (await (await ask('api/token', { token: text })).json()) as TokenFacts
    if (token.value === text) tokenFacts.value = facts
  } catch (thrown) {
    const { status, retryAfter } = problemOf(thrown)
    if (status !== 0 && status !== 429 && status !== 503) return
    const ms = Math.max(TRY_AGAIN_MS, (retryAfter ?? 0) * 1_000)
    setTimeout(() => {
      if (token.value === text && tokenFacts.value === null) void fetchFacts(text)
    }, ms)
  }
}

/** Forgets the token, and removes everything that it has shown. */
export function forgetToken(problem: Problem | null = null): void {
  sessionStorage.clear()
  token.value = null
  endpoints.value = null
  tokenFacts.value = null
  sessionProblem.value = problem
}

/** @throws any error that is not a problem of a request. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refused) return thrown.problem
  throw thrown
}
