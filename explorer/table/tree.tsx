/** A nested value, which opens level by level. */
import { useSignal } from '@preact/signals'
import { isNested, MAX_SHOWN, nestedSummary } from '../value/cell.js'

/** The number of members of a level that are shown at first. */
const STEP = 100

interface TreeProps {
  readonly value: object
  /** Called when its size has changed. */
  readonly onResize: () => void
}

export function Tree({ value, onResize }: TreeProps) {
  const shown = useSignal(STEP)
  // The element of a list of one is shown without a level for the list.
  if (Array.isArray(value) && value.length === 1 && isNested(value[0])) {
    return <Tree value={value[0]} onResize={onResize} />
  }
  const all: readonly (readonly [string, unknown])[] = Object.entries(value)
  const isList = Array.isArray(value)
  return (
    <ul class="tree">
      {all.slice(0, shown.value).map(([name, member]) => (
        <li key={name}>
          <Member name={isList ? `[${name}]` : name} value={member} onResize={onResize} isOnly={all.length === 1} />
        </li>
      ))}
      {all.length > shown.value && (
        <li>
          <button
            type="button"
            class="quiet small"
            onClick={() => {
              shown.value += STEP
              onResize()
            }}
          >
            {all.length - shown.value} more
          </button>
        </li>
      )}
      {all.length === 0 && <li class="muted">empty</li>}
    </ul>
  )
}

interface MemberProps extends TreeProps_ {
  readonly name: string
  /** A value that is alone in its level is open from the start. */
  readonly isOnly: boolean
}
interface TreeProps_ {
  readonly value: unknown
  readonly onResize: () => void
}

function Member({ name, value, onResize, isOnly }: MemberProps) {
  const isOpen = useSignal(isOnly)
  if (!isNested(value)) {
    return (
      <span class="leaf">
        <span class="key">{name}</span> <Leaf value={value} />
      </span>
    )
  }
  return (
    <>
      <button
        type="button"
        class="twist"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
          onResize()
        }}
      >
        <span class="key">{name}</span> <span class="muted">{nestedSummary(value)}</span>
      </button>
      {isOpen.value && <Tree value={value} onResize={onResize} />}
    </>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span class="null">NULL</span>
  const text = String(value)
  return (
    <bdi class={typeof value === 'string' ? 'text' : 'amount'}>
      {text.length > MAX_SHOWN * 4 ? `${text.slice(0, MAX_SHOWN * 4)}…` : text}
    </bdi>
  )
}
