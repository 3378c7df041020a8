/** Sets of code points as sorted ranges that do not touch. */

export type CodeRange = readonly [least: number, most: number]

const LAST_CODE_POINT = 0x10ffff

/** Every code point. */
export const ANY: readonly CodeRange[] = [[0, LAST_CODE_POINT]]

/** The set with its ranges sorted and merged. */
export function normalized(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const joined: [number, number][] = []
  for (const [least, most] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined[joined.length - 1]
    if (last && least <= last[1] + 1) last[1] = Math.max(last[1], most)
    else joined.push([least, most])
  }
  return joined
}

/** Every code point that is not in the set, which must be normalized. */
export function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const outside: CodeRange[] = []
  let next = 0
  for (const [least, most] of ranges) {
    if (least > next) outside.push([next, least - 1])
    next = most + 1
  }
  if (next <= LAST_CODE_POINT) outside.push([next, LAST_CODE_POINT])
  return outside
}

/** The set of these characters: `'az'` is a and z. */
export const rangesOf = (characters: string): readonly CodeRange[] =>
  [...characters].map(character => [character.codePointAt(0)!, character.codePointAt(0)!])

export const holds = (ranges: readonly CodeRange[], code: number): boolean =>
  ranges.some(([least, most]) => code >= least && code <= most)
