/** Keys that work anywhere on the page. */

import { cancel, run } from '../state/call.js'
import { argumentsOfFields, endpoint, fieldTexts } from '../state/choice.js'
import { leaveEarlier } from '../state/comparison.js'
import { edit } from '../state/edits.js'

export const SEARCH_ID = 'find-endpoint'

const FIELDS = 'input, textarea, select, [contenteditable]'

export function listenForKeys(): void {
  addEventListener('keydown', event => {
    if (event.key === '/' && !isField(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const search = document.getElementById(SEARCH_ID)
      if (search === null) return
      event.preventDefault()
      search.focus()
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      if (endpoint.value === null || endpoint.value === undefined) return
      event.preventDefault()
      runFields()
    } else if (event.key === 'Escape') {
      cancel()
      leaveEarlier()
    }
  })
}

const isField = (target: EventTarget | null): boolean => target instanceof Element && target.matches(FIELDS)

/** Runs the open endpoint with what its fields hold. */
export function runFields(options: { readonly wantsFresh?: boolean } = {}): void {
  const of = endpoint.value
  edit.value = null
  if (of) void run(of, argumentsOfFields(of, fieldTexts.value), options)
}
