/**
 * JSONPath as GoogleSQL reads it. The standard form (JSON_QUERY, JSON_VALUE, …) quotes a name as `$."a.b"`; the legacy
 * form (JSON_EXTRACT and its family) quotes it as `$['a.b']`, and may write `$[a]` for `$.a`.
 */

export type JsonPathForm = 'standard' | 'legacy'

/**
 * `index` is digits in brackets, `name` anything else. Most functions use either kind for a member of an object or an element
 * of an array, depending on the value.
 */
export interface JsonPathStep {
  readonly kind: 'name' | 'index'
  readonly text: string
}
export interface JsonPath {
  readonly steps: readonly JsonPathStep[]
  /** `lax` steps into arrays and returns an array of all matches; `lax recursive` steps into nested arrays too. */
  readonly mode: 'strict' | 'lax' | 'lax recursive'
}

const SPACE = '[ \\t\\n\\f\\r]*'
const NAME = /\.([\p{L}\p{N}_\-: \t\n\f\r]+)/uy
const INDEX = new RegExp(`\\[${SPACE}([\\p{N}_\\-]+)${SPACE}\\]`, 'uy')
const BARE_IN_BRACKETS = new RegExp(`\\[${SPACE}([\\p{L}\\p{N}_\\-]+)${SPACE}\\]`, 'uy')
const QUOTED_NAME = /\."((?:[^\\"]|\\"|\\[^"])*)"/uy
const QUOTED_IN_BRACKETS = new RegExp(`\\[${SPACE}'((?:[^\\\\']|\\\\'|\\\\[^'])*)'${SPACE}\\]`, 'uy')
const UNSUPPORTED = /\*|\.\.|@/

/**
 * The parsed path, or an error in BigQuery's words. The modes `lax` and `lax recursive` are accepted only with `allowsLax`.
 */
export function parseJsonPath(
  text: string,
  form: JsonPathForm,
  allowsLax = false,
): JsonPath | { readonly error: string } {
  const { mode, start } = allowsLax ? readMode(text) : { mode: 'strict' as const, start: 0 }
  if (text[start] !== '$') return { error: "JSONPath must start with '$'" }
  const steps: JsonPathStep[] = []
  let offset = start + 1
  const accept = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset
    const match = pattern.exec(text)
    if (match) offset += match[0].length
    return match?.[1]
  }
  const [brackets, quoted, quote] =
    form === 'standard' ? [INDEX, QUOTED_NAME, '"'] : [BARE_IN_BRACKETS, QUOTED_IN_BRACKETS, "'"]
  for (;;) {
    const name = accept(NAME)
    if (name !== undefined) {
      steps.push({ kind: 'name', text: name })
      continue
    }
    const inBrackets = accept(brackets!)
    if (inBrackets !== undefined) {
      steps.push({ kind: /^\d+$/.test(inBrackets) ? 'index' : 'name', text: inBrackets })
      continue
    }
    const escaped = accept(quoted!)
    if (escaped === undefined) break
    steps.push({ kind: 'name', text: escaped.replaceAll(`\\${quote}`, quote!) })
  }
  const rest = text.slice(offset)
  // In the legacy form a path may end with a dot.
  if (rest === '' || (rest === '.' && form === 'legacy')) return { steps, mode }
  const operator = UNSUPPORTED.exec(rest)?.[0]
  return { error: operator ? `Unsupported operator in JSONPath: ${operator}` : `Invalid token in JSONPath at: ${rest}` }
}

function readMode(text: string): { mode: JsonPath['mode']; start: number } {
  const keywords = /^(?:(lax)(?: +(recursive))?|(recursive) +(lax)) +(?=\$)/i.exec(text)
  if (!keywords) return { mode: 'strict', start: 0 }
  return { mode: keywords[2] || keywords[3] ? 'lax recursive' : 'lax', start: keywords[0].length }
}
