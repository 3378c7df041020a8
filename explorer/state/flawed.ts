/** The endpoints with mistakes or warnings, as events of the server change them. */
import type { EndpointChange } from '../api/contract.js'

/** In the order of their names and files. */
export function withChanges(
  before: readonly EndpointChange[],
  changes: readonly EndpointChange[],
): readonly EndpointChange[] {
  let all = before
  for (const change of changes) {
    all = all.filter(flaw => !isSame(flaw, change))
    if (change.diagnostics.length > 0) all = [...all, change]
  }
  return [...all].sort((a, b) => orderOf(a).localeCompare(orderOf(b)))
}

/** A manifest that moves keeps its id; one that cannot be read has its file alone. */
const isSame = (a: EndpointChange, b: EndpointChange): boolean => a.file === b.file || (a.id !== null && a.id === b.id)

const orderOf = ({ name, file }: EndpointChange): string => name ?? file ?? ''

export const hasErrors = ({ diagnostics }: EndpointChange): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

/** `2 mistakes`, `1 warning`. */
export function flawsInWords(change: EndpointChange): string {
  const isWrong = hasErrors(change)
  const count = change.diagnostics.filter(({ severity }) => (severity === 'error') === isWrong).length
  const noun = isWrong ? 'mistake' : 'warning'
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
