/** Reads JSON without rounding numbers: those that a double cannot hold stay text. */

/** A number as it was written. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** A reviver sees each value and takes ten times as long. */
export function parseExactly(text: string, hasLongNumbers: boolean): unknown {
  return hasLongNumbers ? JSON.parse(text, keepLongNumbers as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
}

const keepLongNumbers: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return isRounded(context.source, value) ? new ExactNumber(context.source) : value
}

/** Up to 15 digits are always exact. */
function isRounded(source: string, value: number): boolean {
  if (source.length <= 15) return false
  const digits = (text: string): string =>
    text
      .replace(/e.*$/i, '')
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '')
  return digits(source) !== digits(String(value))
}
