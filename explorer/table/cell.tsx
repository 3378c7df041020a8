/** One cell. What it holds is always text: nothing in a result becomes markup. */
import { cellText, isNested, MAX_SHOWN } from '../value/cell.js'
import type { Zone } from '../value/times.js'
import { kindOf } from '../value/types.js'
import { Tree } from './tree.js'

interface CellProps {
  readonly id: string
  readonly type: string
  readonly value: unknown
  readonly zone: Zone
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly toggle: () => void
  readonly onResize: () => void
}

export function Cell({ id, type, value, zone, isActive, isOpen, toggle, onResize }: CellProps) {
  const kind = kindOf(type)
  return (
    <td id={id} class={isActive ? `${kind} is-active` : kind} {...(isActive && { 'aria-selected': true })}>
      <Content {...{ type, value, zone, isOpen, toggle, onResize }} />
    </td>
  )
}

/** The length from which a text may be wider than its column. */
const MAYBE_CUT = 32
const END_LENGTH = 12

/** A text whose end stays in sight where its column is too narrow for all of it: addresses often differ only there. */
function Words({ text }: { readonly text: string }) {
  if (text.length < MAYBE_CUT) return <bdi>{text}</bdi>
  const end = [...text.slice(-2 * END_LENGTH)].slice(-END_LENGTH).join('')
  return (
    <bdi class="words">
      <span>{text.slice(0, text.length - end.length)}</span>
      <span>{end}</span>
    </bdi>
  )
}

function Content({ type, value, zone, isOpen, toggle, onResize }: Omit<CellProps, 'id' | 'isActive'>) {
  if (value === null || value === undefined) return <span class="null">NULL</span>
  const text = cellText(type, value, zone)
  if (!isNested(value)) return <Words text={text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text} />
  return (
    <>
      <button type="button" class="twist" tabIndex={-1} aria-expanded={isOpen} onClick={toggle}>
        {text}
      </button>
      {isOpen && <Tree value={value} onResize={onResize} />}
    </>
  )
}
