/** What differs between a file and the text that it should hold. */

/** The most lines that are shown of each side. */
const MAX_SHOWN = 20

/**
 * Lines that only one of the two has, with their numbers: those of the file after `-`, those that would be written after `+`.
 * Null where the texts are equal.
 */
export function differenceOf(found: string, wanted: string): string | null {
  if (found === wanted) return null
  const [before, after] = [found.split('\n'), wanted.split('\n')]
  const gone = linesWithout(before, after)
  const added = linesWithout(after, before)
  if (gone.length + added.length === 0) {
    const at = before.findIndex((line, i) => line !== after[i])
    return `the same lines in another order, from line ${at + 1}\n`
  }
  return [...shown('-', gone), ...shown('+', added)].map(line => `${line}\n`).join('')
}

interface Line {
  readonly number: number
  readonly text: string
}

/** The lines that do not occur as often among `others`. */
function linesWithout(lines: readonly string[], others: readonly string[]): readonly Line[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.flatMap((text, i) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count > 0 ? [] : [{ number: i + 1, text }]
  })
}

function shown(sign: string, lines: readonly Line[]): readonly string[] {
  const rest = lines.length - MAX_SHOWN
  const first = lines.slice(0, MAX_SHOWN).map(({ number, text }) => `${sign} ${number}: ${text.replace(/\r$/, '\\r')}`)
  return rest > 0 ? [...first, `${sign} and ${rest} more lines`] : first
}
