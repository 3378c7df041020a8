/** Downloads the result as a file. A link could not carry the token. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Format } from '../../runner/formats/format.js'
import { callEndpoint } from '../api/ask.js'
import type { Problem } from '../api/contract.js'
import type { Result } from '../state/call.js'
import { problemOf, token } from '../state/session.js'
import { Alert } from './problem.js'

type Kind = Pick<Format, 'name' | 'mediaTypes' | 'extension' | 'download'>

/** Those of runner/formats/index.ts: tools/build-explorer.mjs puts them here. */
declare const FORMATS: readonly Kind[]

const place = ({ download }: Kind): number => download?.place ?? 0
const KINDS = FORMATS.filter(({ download }) => download).sort((a, b) => place(a) - place(b))

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
    busy.value = kind.name
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
          {KINDS.filter(({ mediaTypes }) => mediaTypes.length > 0 || !hidesFormat).map(kind => (
            <button type="button" key={kind.name} disabled={busy.value !== null} onClick={() => void save(kind)}>
              <strong>{kind.download?.title}</strong>{' '}
              <span class="muted">{busy.value === kind.name ? 'fetching…' : kind.download?.about}</span>
            </button>
          ))}
          {problem.value && <Alert problem={problem.value} />}
        </div>
      )}
    </div>
  )
}

/** Makes the same call in this format; where the result is stored, the engine does not run it again. @throws Refused. */
async function download({ endpoint, args }: Result, { name, mediaTypes: [own], extension }: Kind): Promise<void> {
  // `Accept` cannot ask for every format.
  const asked = own === undefined ? { format: name } : { accept: own }
  const response = await callEndpoint(endpoint.name, args, { token: token.value ?? '', ...asked })
  saveFile(await response.blob(), `${endpoint.name}.${extension}`)
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
