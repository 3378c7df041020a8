/** Values of manifests as the details of changes show them. */
import { cut } from '../terminal/printable.js'

const MAX_LENGTH = 200

/** As JSON on one line; `nothing` for a member that is not there. Long values are cut. */
export function show(value: unknown): string {
  return value === undefined ? 'nothing' : cut(JSON.stringify(value), MAX_LENGTH)
}
