/** One parameter's field, by its type. */
import { useId, useRef } from 'preact/hooks'
import type { Endpoint, Parameter } from '../api/contract.js'
import { mistakes } from '../state/call.js'
import { fieldTexts, isPinned, lastUsed, setField } from '../state/choice.js'
import { own } from '../value/own.js'

/** The most suggestions beside a field; its list has the others. */
const MOST_CHIPS = 6

interface FieldProps {
  readonly of: Endpoint
  readonly parameter: Parameter
  /** The server's message about its argument. */
  readonly mistake: string | undefined
}

export function Field({ of, parameter, mistake }: FieldProps) {
  const { name, type, required, description } = parameter
  const id = useId()
  const isLocked = isPinned(of, parameter)
  const described = mistake === undefined ? `${id}-about` : `${id}-mistake ${id}-about`
  const control = {
    id,
    'aria-describedby': described,
    'aria-required': required && !isLocked ? true : undefined,
    'aria-invalid': mistake === undefined ? undefined : true,
  } as const
  const title = (
    <>
      <span class="name">{name}</span>{' '}
      <span class="type">
        {type}
        {isLocked ? ', fixed by the token' : required ? ', required' : ''}
      </span>
    </>
  )
  const isGroup = !isLocked && isListOfChoices(parameter)
  return (
    <div class={mistake === undefined ? 'field' : 'field at-fault'}>
      {isGroup ? (
        <span class="label" id={`${id}-label`}>
          {title}
        </span>
      ) : (
        <label for={id}>{title}</label>
      )}
      {isLocked ? (
        <input {...control} class="locked" readOnly value={of.pinned[name]} />
      ) : (
        <Control control={control} parameter={parameter} />
      )}
      {mistake !== undefined && (
        <p class="mistake" id={`${id}-mistake`}>
          {mistake}
        </p>
      )}
      {!isLocked && <Chips parameter={parameter} />}
      <p class="hint" id={`${id}-about`}>
        {description}
      </p>
    </div>
  )
}

interface ControlProps {
  readonly control: Readonly<Record<string, unknown>> & { readonly id: string }
  readonly parameter: Parameter
}

const change = (name: string, text: string): void => {
  setField(name, text)
  if (!Object.hasOwn(mistakes.value, name)) return
  const { [name]: _mended, ...others } = mistakes.value
  mistakes.value = others
}

function Control({ control, parameter }: ControlProps) {
  const { name, type } = parameter
  const value = own(fieldTexts.value, name) ?? ''
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    change(name, event.currentTarget.value)
  const choices = type === 'bool' ? ['true', 'false'] : parameter.enum?.map(String)
  if (isListOfChoices(parameter)) return <Boxes {...{ control, parameter, value }} />
  if (type.startsWith('array') || (type === 'json' && !choices)) {
    const rows = Math.min(6, Math.max(2, value.split('\n').length))
    return (
      <textarea
        {...control}
        rows={rows}
        placeholder={type === 'json' ? defaultText(parameter) || '{ … }' : 'one value a line'}
        spellcheck={false}
        {...{ value, onInput }}
      />
    )
  }
  if (choices) {
    return (
      <select {...control} value={value} onChange={onInput}>
        <option value="">{defaultText(parameter) || (parameter.required ? 'choose…' : 'not set')}</option>
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    )
  }
  const isTime = type === 'timestamp' || type === 'datetime' || type === 'date'
  const suggestions = suggestionsOf(parameter)
  const list = suggestions.length > 0 && !isTime ? `${control.id}-list` : undefined
  return (
    <div class="row tight">
      <input
        {...control}
        type="text"
        list={list}
        inputMode={INPUT_MODES[type]}
        autocomplete="off"
        spellcheck={false}
        placeholder={defaultText(parameter) || (isTime ? TIME_SHAPES[type] : '')}
        {...{ value, onInput }}
      />
      {list !== undefined && (
        <datalist id={list}>
          {suggestions.map(suggestion => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {isTime && <Picker parameter={parameter} />}
    </div>
  )
}

const isListOfChoices = ({ type, enum: values }: Parameter): boolean => type.startsWith('array') && values !== undefined

/** A box for each value of the list's `enum`, and for each that an address has beside them. */
function Boxes({ control, parameter, value }: ControlProps & { readonly value: string }) {
  const { id, ...described } = control
  const given = new Set(value.split('\n').filter(line => line !== ''))
  const choices = [...new Set([...parameter.enum!.map(String), ...given])]
  const toggle = (choice: string): void => {
    if (!given.delete(choice)) given.add(choice)
    change(parameter.name, choices.filter(choice => given.has(choice)).join('\n'))
  }
  return (
    <fieldset {...described} id={id} class="boxes" aria-labelledby={`${id}-label`}>
      {choices.map(choice => (
        <label key={choice}>
          <input type="checkbox" checked={given.has(choice)} onChange={() => toggle(choice)} />
          <bdi>{choice}</bdi>
        </label>
      ))}
    </fieldset>
  )
}

const INPUT_MODES: Readonly<Record<string, 'numeric' | 'decimal'>> = {
  int64: 'numeric',
  float64: 'decimal',
  numeric: 'decimal',
  bignumeric: 'decimal',
}

const TIME_SHAPES: Readonly<Record<string, string>> = {
  timestamp: '2026-01-31T12:00:00Z',
  datetime: '2026-01-31T12:00:00',
  date: '2026-01-31',
}

const defaultText = ({ default: value }: Parameter): string => (value === undefined ? '' : `default: ${String(value)}`)

/** The browser's own calendar, behind a button: the text field stays, since it takes every form that the server takes. */
function Picker({ parameter: { name, type } }: { parameter: Parameter }) {
  const picker = useRef<HTMLInputElement>(null)
  const take = (value: string): void => {
    if (value === '') return
    const isDate = type === 'date'
    const text = isDate || type === 'datetime' ? value : new Date(value).toISOString().replace('.000', '')
    change(name, text)
  }
  return (
    <span class="picker">
      <button type="button" aria-label={`Pick ${name} from a calendar`} onClick={() => picker.current?.showPicker()}>
        <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
          <path d="M2.500 3.500h11v10h-11zM2.500 6.500h11M5.500 2v3M10.500 2v3" />
        </svg>
      </button>
      <input
        ref={picker}
        type={type === 'date' ? 'date' : 'datetime-local'}
        tabIndex={-1}
        aria-hidden="true"
        onChange={event => take(event.currentTarget.value)}
      />
    </span>
  )
}

/** The times before now that are offered, in minutes. */
const AGO = [
  ['15 min ago', 15],
  ['1 h ago', 60],
  ['1 d ago', 1_440],
  ['7 d ago', 10_080],
] as const

function Chips({ parameter }: { parameter: Parameter }) {
  const { name, type } = parameter
  const value = own(fieldTexts.value, name) ?? ''
  if (type === 'timestamp' || type === 'datetime' || type === 'date') {
    const from = type === 'date' ? AGO.slice(2) : AGO
    return (
      <div class="chips">
        {from.map(([text, minutes]) => (
          <button type="button" key={text} onClick={() => change(name, ago(minutes, type))}>
            {text}
          </button>
        ))}
      </div>
    )
  }
  if (type === 'bool' || parameter.enum) return null
  const isList = type.startsWith('array')
  const given = isList ? value.split('\n') : [value]
  const shown = suggestionsOf(parameter).filter(suggestion => !given.includes(suggestion))
  if (shown.length === 0) return null
  return (
    <div class="chips">
      {shown.slice(0, MOST_CHIPS).map(suggestion => (
        <button
          type="button"
          key={suggestion}
          onClick={() => change(name, isList && value !== '' ? `${value.trimEnd()}\n${suggestion}` : suggestion)}
        >
          {suggestion}
        </button>
      ))}
    </div>
  )
}

/** The values of this parameter in the last calls of any endpoint, and its examples. */
function suggestionsOf({ name, examples = [] }: Parameter): readonly string[] {
  return [...new Set([...(own(lastUsed.value, name) ?? []), ...examples.map(String)])]
}

function ago(minutes: number, type: string): string {
  const text = new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)
  if (type === 'date') return text.slice(0, 10)
  return type === 'datetime' ? text : `${text}Z`
}
