/** Downloads the result as a file. A link could not carry the token. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { callEndpoint } from '../api/ask.js'
import type { Problem } from '../api/contract.js'
import type { Result } from '../state/call.js'
import { problemOf, token } from '../state/session.js'
import { Alert } from './problem.js'

interface Kind {
  readonly title: string
  readonly about: string
  readonly accept: string
  readonly extension: string
  /** Where `Accept` cannot name it. */
  readonly format?: string
}

const KINDS: readonly Kind[] = [
  { title: 'CSV', about: 'exact, for programs', accept: 'text/csv', extension: 'csv' },
  { title: 'Excel', about: 'CSV, safe for spreadsheets', accept: 'text/csv', extension: 'csv', format: 'excel' },
  { title: 'NDJSON', about: 'an object a line', accept: 'application/x-ndjson', extension: 'ndjson' },
  { title: 'Arrow', about: 'typed columns', accept: 'application/vnd.apache.arrow.stream', extension: 'arrows' },
  { title: 'Parquet', about: 'typed columns', accept: 'application/vnd.apache.parquet', extension: 'parquet' },
  { title: 'JSON', about: 'as programs get it', accept: 'application/json', extension: 'json' },
]

export function Downloads({ result }: { result: Result }) {
  const isOpen = useSignal(false)
  const busy = useSignal<string | null>(null)
  const problem = useSignal<Problem | null>(null)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const close = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !menu.current?.contains(event.target as Node)) {
        isOpen.value = false
      }
    }
    addEventListener('pointerdown', close)
    addEventListener('keydown', close)
    return () => {
      removeEventListener('pointerdown', close)
      removeEventListener('keydown', close)
    }
  }, [])
  const save = async (kind: Kind): Promise<void> => {
    busy.value = kind.title
    problem.value = null
    try {
      await download(result, kind)
      isOpen.value = false
    } catch (thrown) {
      problem.value = problemOf(thrown)
    } finally {
      busy.value = null
    }
  }
  /** An argument of this name would take the place of the format. */
  const hidesFormat = result.endpoint.parameters.some(({ name }) => name === 'format')
  return (
    <div class="menu" ref={menu}>
      <button
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        Download
      </button>
      {isOpen.value && (
        <div class="menu-list">
          {KINDS.filter(({ format }) => format === undefined || !hidesFormat).map(kind => (
            <button type="button" key={kind.title} disabled={busy.value !== null} onClick={() => void save(kind)}>
              <strong>{kind.title}</strong>{' '}
              <span class="muted">{busy.value === kind.title ? 'fetching…' : kind.about}</span>
            </button>
          ))}
          {problem.value && <Alert problem={problem.value} />}
        </div>
      )}
    </div>
  )
}

/** Makes the same call in this format; where the result is stored, the engine does not run it again. @throws Refused. */
async function download({ endpoint, args }: Result, { accept, extension, format }: Kind): Promise<void> {
  const response = await callEndpoint(endpoint.name, args, { token: token.value ?? '', accept, format })
  saveFile(await response.blob(), `${endpoint.name}.${extension}`)
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
