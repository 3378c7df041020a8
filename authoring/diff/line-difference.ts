/** The difference of two lists of lines, as `diff -u` shows it. */
import { alignRows } from '../test/files/align-rows.js'

/** The equal lines that are shown before and after a difference. */
const CONTEXT = 2

/** Lines that begin with `-`, `+` or a space; `…` stands for equal lines that are left out. Empty for equal lists. */
export function lineDifference(before: readonly string[], after: readonly string[]): readonly string[] {
  const lines = alignRows(before, after).map(({ expected, found }) => {
    if (found === null) return `- ${before[expected!]}`
    return expected === null ? `+ ${after[found]}` : `  ${after[found]}`
  })
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(line => !line.startsWith(' ')),
  )
  const shown: string[] = []
  for (const [i, line] of lines.entries()) {
    if (isNear[i]) shown.push(line)
    else if (isNear[i - 1]) shown.push('  …')
  }
  return shown.at(-1) === '  …' ? shown.slice(0, -1) : shown
}
