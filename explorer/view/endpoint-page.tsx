/** The open endpoint: what it is, its fields, and tabs for what came of them. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../state/call.js'
import { address, endpoint } from '../state/choice.js'
import { changeAt, edit } from '../state/edits.js'
import { tokenFacts } from '../state/session.js'
import { Documentation } from './documentation.js'
import { Edits, NotServed } from './edits.js'
import { Form } from './form.js'
import { History } from './history.js'
import { Query } from './query.js'
import { ResultPanel } from './result-panel.js'
import { Tabs } from './tabs.js'
import { UseItFrom } from './use-it-from.js'

export function EndpointPage() {
  const of = endpoint.value
  const tab = useSignal('documentation')
  const { kind } = call.value
  const below = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A call that an edit has run again leaves its reader where they are.
    if (edit.peek()?.outcome === 'run-again') return
    if (kind !== 'none') tab.value = 'result'
    if (kind === 'result') bringInSight(below.current)
  }, [kind])
  const flawed = changeAt(address.value.ref)
  if (!of && flawed) return <NotServed change={flawed} />
  if (!of) {
    return (
      <section class="empty">
        <h1>Not found</h1>
        <p>
          There is no endpoint <code>{address.value.ref}</code>, or this token may not call it.
        </p>
        <p>
          <a href="#/">All endpoints</a>
        </p>
      </section>
    )
  }
  return (
    <article class="endpoint">
      <header>
        <h1>{of.name}</h1>
        <p class="lead">{of.description}</p>
      </header>
      <Edits of={of} />
      <Form of={of} />
      <div ref={below} class="below">
        <Tabs
          label="About this call"
          chosen={tab.value}
          choose={name => {
            tab.value = name
          }}
          tabs={[
            { name: 'result', title: 'Result', body: () => <ResultPanel of={of} /> },
            { name: 'documentation', title: 'Documentation', body: () => <Documentation of={of} /> },
            { name: 'use', title: 'Use it from', body: () => <UseItFrom of={of} /> },
            { name: 'query', title: 'Query', body: () => <Query of={of} /> },
            { name: 'history', title: 'History', body: () => <History of={of} /> },
          ].filter(({ name }) => name !== 'query' || tokenFacts.value?.explain === true)}
        />
      </div>
    </article>
  )
}

/** Scrolls to the result: on a small screen the fields fill the page, so it would not be seen. */
function bringInSight(element: HTMLElement | null): void {
  if (element && element.getBoundingClientRect().top > innerHeight * 0.75) element.scrollIntoView({ block: 'start' })
}
