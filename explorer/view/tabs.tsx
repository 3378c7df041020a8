/** Tabs, moved between by arrow keys. Only the panel that is open exists. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly name: string
  readonly title: string
  readonly body: () => ComponentChildren
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly choose: (name: string) => void
  readonly class?: string
}

export function Tabs({ label, tabs, chosen, choose, ...rest }: TabsProps) {
  const id = useId()
  const open = tabs.find(({ name }) => name === chosen) ?? tabs[0]!
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length]!
    choose(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <section class={`tabs ${rest.class ?? ''}`}>
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            aria-selected={name === open.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === open.name ? 0 : -1}
            onClick={() => choose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open.name}`}>
        {open.body()}
      </div>
    </section>
  )
}
