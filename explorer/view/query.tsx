/** The SQL that this call runs, for tokens made with `--explain`. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, isAbort } from '../api/ask.js'
import type { Endpoint, Problem } from '../api/contract.js'
import { queryOf } from '../api/query-string.js'
import { argumentsOfFields, fieldTexts } from '../state/choice.js'
import { problemOf, token } from '../state/session.js'
import { CopyButton } from './copy.js'
import { Alert } from './problem.js'
import { Code } from './use-it-from.js'

interface Explained {
  readonly revision: string
  readonly sql: string
  /** What is kept of the result for its refresh. */
  readonly refresh: string
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly value: unknown }[]
}

/** How long after the last key press the query is fetched, in milliseconds. */
const PAUSE_MS = 250

export function Query({ of }: { of: Endpoint }) {
  const explained = useSignal<Explained | null>(null)
  const problem = useSignal<Problem | null>(null)
  const query = queryOf(argumentsOfFields(of, fieldTexts.value))
  useEffect(() => {
    const controller = new AbortController()
    const explain = async (): Promise<void> => {
      try {
        const path = `api/endpoints/explain/${encodeURIComponent(of.name)}?${query}`
        const response = await ask(path, { token: token.value ?? '', signal: controller.signal })
        explained.value = (await response.json()) as Explained
        problem.value = null
      } catch (thrown) {
        if (!isAbort(thrown)) problem.value = problemOf(thrown)
      }
    }
    const timer = setTimeout(() => void explain(), explained.value === null ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [of, query])
  if (problem.value) return <Wanted problem={problem.value} />
  if (explained.value === null) return <p class="hint">Fetching…</p>
  const { sql, parameters, revision, refresh } = explained.value
  return (
    <div class="query">
      <div class="snippet">
        <CopyButton what="the SQL" text={() => sql} />
        <Code text={sql} />
      </div>
      <aside aria-label="Arguments">
        <h2>Arguments</h2>
        {parameters.length === 0 && <p class="hint">Nothing is bound to this query.</p>}
        <dl>
          {parameters.map(({ name, type, value }) => (
            <div key={name}>
              <dt>
                <code>@{name}</code> <span class="muted small">{type}</span>
              </dt>
              <dd>
                {value === null ? (
                  <span class="null">NULL</span>
                ) : (
                  <code>{Array.isArray(value) ? JSON.stringify(value) : String(value)}</code>
                )}
              </dd>
            </div>
          ))}
        </dl>
        <p class="hint">
          Arguments are bound beside the SQL and never written into it. Revision <code>{revision.slice(0, 12)}</code>.
        </p>
        <p class="hint">For a refresh: {refresh}.</p>
      </aside>
    </div>
  )
}

/** Fields that are still empty are not a failure here. */
function Wanted({ problem }: { problem: Problem }) {
  if (problem.code !== 'ARGUMENT_INVALID') return <Alert problem={problem} />
  return (
    <>
      <p class="hint">The query depends on the arguments. Fill these in first:</p>
      <ul>
        {problem.errors?.map(({ parameter, detail }) => (
          <li key={parameter}>
            <code>{parameter}</code> {detail}
          </li>
        ))}
      </ul>
    </>
  )
}
