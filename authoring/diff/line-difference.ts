/** The difference of two lists of lines, as `diff -u` shows it. */
import { structuredPatch } from 'diff'
import { MAX_DIFFERENCES } from '../test/files/align-rows.js'

/** The equal lines that are shown before and after a difference. */
const CONTEXT = 2

/** Lines that begin with `-`, `+` or a space; `…` stands for equal lines that are left out. Empty for equal lists. */
export function lineDifference(before: readonly string[], after: readonly string[]): readonly string[] {
  const [from, to] = [before, after].map(lines => lines.map(line => `${line}\n`).join('')) as [string, string]
  const options = { context: CONTEXT, maxEditLength: MAX_DIFFERENCES }
  const patch = structuredPatch('', '', from, to, undefined, undefined, options)
  if (patch === undefined) return [...before.map(line => `- ${line}`), ...after.map(line => `+ ${line}`)]
  const hunks = patch.hunks.map(({ lines }) => lines.map(line => `${line[0]} ${line.slice(1)}`))
  return hunks.flatMap((lines, i) => (i === 0 ? lines : ['  …', ...lines]))
}
