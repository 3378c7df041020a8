/** The call of the fields as other tools make it: the texts that `sluice connect` prints. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ConnectTool } from '../../authoring/connect/tool.js'
import type { Endpoint } from '../api/contract.js'
import { argumentsOfFields, fieldTexts } from '../state/choice.js'
import { CopyButton } from './copy.js'
import { Tabs } from './tabs.js'

let loaded: readonly ConnectTool[] | null = null

export function UseItFrom({ of }: { of: Endpoint }) {
  const tools = useSignal(loaded)
  const chosen = useSignal('curl')
  useEffect(() => {
    if (tools.value !== null) return
    void import('../../authoring/connect/tools.js').then(({ CONNECT_TOOLS }) => {
      loaded = CONNECT_TOOLS
      tools.value = CONNECT_TOOLS
    })
  }, [])
  if (tools.value === null) return <p class="hint">Fetching…</p>
  const call = { url: serverAddress(), endpoint: of, arguments: argumentsOfFields(of, fieldTexts.value) }
  return (
    <div class="use-it-from">
      <p class="hint">
        This call, with the fields as they are now. The token is read from <code>SLUICE_TOKEN</code> or the tool's own
        store of secrets, and never written into a text.
      </p>
      <Tabs
        class="tools"
        label="Tools"
        chosen={chosen.value}
        choose={name => {
          chosen.value = name
        }}
        tabs={tools.value.map(({ name, title, write }) => ({
          name,
          title: titleOf(name, title),
          body: () => <Snippet text={write(call)} title={title} />,
        }))}
      />
    </div>
  )
}

/** Begins with the name that `sluice connect` takes. */
const titleOf = (name: string, title: string): string =>
  title.toLowerCase().startsWith(name) ? title : `${name}: ${title}`

function Snippet({ text, title }: { text: string; title: string }) {
  return (
    <div class="snippet">
      <CopyButton what={`the text for ${title}`} text={() => text} />
      <Code text={text} />
    </div>
  )
}

export function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre class="code" tabIndex={0}>
      <code>{text.trimEnd()}</code>
    </pre>
  )
}

/** Where this page is from, without a slash at the end. */
const serverAddress = (): string => new URL('..', document.baseURI).href.replace(/\/$/, '')
