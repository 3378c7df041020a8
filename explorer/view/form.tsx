/** The fields of the open endpoint, and what runs it. */
import { useEffect, useRef } from 'preact/hooks'
import type { Endpoint, Parameter } from '../api/contract.js'
import { call, cancel, isRunning, mistakes } from '../state/call.js'
import { fieldTexts, isPinned, setField } from '../state/choice.js'
import { tokenFacts } from '../state/session.js'
import { own } from '../value/own.js'
import { Field } from './field.js'
import { runFields } from './keys.js'

export function Form({ of }: { of: Endpoint }) {
  const form = useRef<HTMLFormElement>(null)
  const hasMistakes = Object.keys(mistakes.value).length > 0
  useEffect(() => {
    if (hasMistakes) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [hasMistakes])
  const missing = of.parameters.filter(parameter => canFill(of, parameter))
  const send = (event: Event): void => {
    event.preventDefault()
    runFields()
  }
  return (
    <form ref={form} class="call card" onSubmit={send} aria-label="Arguments" noValidate>
      {of.parameters.length === 0 && <p class="muted">This endpoint takes no arguments.</p>}
      <div class="fields">
        {of.parameters.map(parameter => (
          <Field key={parameter.name} of={of} parameter={parameter} mistake={own(mistakes.value, parameter.name)} />
        ))}
      </div>
      <div class="row actions">
        <button type="submit" class="primary" title="Ctrl Enter" disabled={isRunning.value}>
          Run
        </button>
        {isRunning.value && (
          <button type="button" title="Esc" onClick={cancel}>
            Cancel
          </button>
        )}
        {!isRunning.value && tokenFacts.value?.fresh && call.value.kind === 'result' && (
          <button type="button" class="quiet" onClick={() => runFields({ wantsFresh: true })}>
            New result
          </button>
        )}
        {missing.length > 0 && (
          <button type="button" class="quiet" onClick={() => missing.forEach(fill)}>
            Fill in examples
          </button>
        )}
      </div>
    </form>
  )
}

/** A field that must be filled, is empty, and has an example. */
function canFill(of: Endpoint, parameter: Parameter): boolean {
  const { name, required, examples = parameter.enum ?? [] } = parameter
  return required && examples.length > 0 && !isPinned(of, parameter) && (own(fieldTexts.value, name) ?? '') === ''
}

const fill = ({ name, examples, ...rest }: Parameter): void =>
  setField(name, String((examples ?? rest.enum ?? [''])[0]))
