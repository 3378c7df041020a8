/** An author's pattern as it is applied: to the whole value. */

const known = new WeakMap<RegExp, RegExp>()

/** The pattern anchored at both ends, compiled once per pattern. */
export function wholePattern(pattern: RegExp): RegExp {
  let whole = known.get(pattern)
  if (!whole) {
    whole = anchored(pattern)
    known.set(pattern, whole)
  }
  return whole
}

/** Without the flags that let `^` and `$` match within the value, or that make a test depend on the last one. */
const anchored = ({ source, flags }: RegExp): RegExp => new RegExp(`^(?:${source})$`, flags.replace(/[gmy]/g, ''))
