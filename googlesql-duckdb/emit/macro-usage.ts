/** How often an argument ends up in DuckDB's plan: macros are text, so a parameter written thrice is computed thrice. */
import { MACROS } from '../runtime/macros/all.js'
import { argumentsAt } from './operand.js'

interface Macro {
  readonly parameters: readonly string[]
  readonly body: string
}

function parseMacro(text: string): readonly [string, Macro] {
  const open = text.indexOf('(')
  const close = text.indexOf(')', open)
  const parameters = text
    .slice(open + 1, close)
    .split(',')
    .map(part => part.trim().toLowerCase())
  return [text.slice(0, open), { parameters, body: text.slice(close + ') AS'.length) }]
}

const BY_NAME = new Map(MACROS.map(parseMacro))
const uses = new Map<string, readonly number[]>()
const queries = new Map<string, boolean>()
const lambdas = new Map<string, boolean>()

/** The uses of each parameter in the macro's body, the macros that it calls included. */
function usesOfParameters(name: string, { parameters, body }: Macro): readonly number[] {
  const known = uses.get(name)
  if (known) return known
  const counted = parameters.map(parameter => usesOf(body, parameter))
  uses.set(name, counted)
  return counted
}

/** Does the SQL contain a subquery, be it in a macro? Such SQL cannot stand in a lambda. */
export const hasQuery = (sql: string): boolean => hasWord(sql, /\bselect\b/i, queries)

/** Does it contain a lambda, or put together a struct, be it in a macro? */
export const hasLambda = (sql: string): boolean => hasWord(sql, /\blambda\b|\bstruct_pack\b|\{/i, lambdas)

/** `known`: what was found in macros. */
function hasWord(sql: string, word: RegExp, known: Map<string, boolean>): boolean {
  const text = withoutQuoted(sql)
  if (word.test(text)) return true
  return [...text.matchAll(/\b(bq_\w+)\(/g)].some(([, name]) => {
    const macro = BY_NAME.get(name!)
    if (!macro) return false
    const answer = known.get(name!)
    if (answer !== undefined) return answer
    known.set(name!, false)
    const found = hasWord(macro.body, word, known)
    known.set(name!, found)
    return found
  })
}

/** How often the word (a parameter's or a placeholder's name) is computed in the SQL. */
export function usesOf(sql: string, word: string): number {
  return count(withoutQuoted(sql), word)
}

/** Text in quotes reads no parameter; only quotes of text are taken out, not those of names. */
const withoutQuoted = (sql: string): string => (sql.includes("'") ? sql.replace(/'(?:[^']|'')*'/g, "''") : sql)

function count(sql: string, word: string): number {
  let total = 0
  const names = /[a-z_][\w$]*/gi
  for (let i = 0; i < sql.length; ) {
    names.lastIndex = i
    const found = names.exec(sql)
    if (found === null) break
    const [name] = found
    i = found.index + name.length
    const macro = sql[i] === '(' ? BY_NAME.get(name) : undefined
    const call = macro && argumentsAt(sql, i)
    if (macro && call) {
      const { args, end } = call
      const weights = usesOfParameters(name, macro)
      args.forEach((argument, index) => {
        total += count(argument, word) * (weights[index] ?? 1)
      })
      i = end
    } else if (name.toLowerCase() === word && sql[i - name.length - 1] !== '.') {
      total++
    }
  }
  return total
}

/** The name and the arguments, where the SQL is one call of a function of ours: `bq_sum_int64(sum(x))`. */
export function callOf(sql: string): { readonly name: string; readonly args: readonly string[] } | null {
  const name = /^bq_\w+(?=\()/.exec(sql)?.[0]
  const call = name === undefined ? null : argumentsAt(sql, name.length)
  return name !== undefined && call?.end === sql.length ? { name, args: call.args } : null
}

const sizes = new Map<string, number>()

/**
 * The size of the plan that DuckDB binds: names and literals of the SQL, those in the bodies of macros included, and the
 * arguments of a macro as often as its body reads them.
 */
export const sizeOfSql = (sql: string): number => sizeOfText(withoutQuoted(sql))

function sizeOfMacro(name: string, macro: Macro): number {
  const known = sizes.get(name)
  if (known !== undefined) return known
  const reads = macro.parameters.reduce((sum, parameter) => sum + usesOf(macro.body, parameter), 0)
  const size = sizeOfSql(macro.body) - reads
  sizes.set(name, size)
  return size
}

function sizeOfText(sql: string): number {
  let total = 0
  const words = /(?:[a-z_][\w$]*|"(?:[^"]|"")*")(?:\.(?:[a-z_][\w$]*|"(?:[^"]|"")*"))*|\d+|''/gi
  for (let i = 0; i < sql.length; ) {
    words.lastIndex = i
    const found = words.exec(sql)
    if (found === null) break
    const [name] = found
    i = found.index + name.length
    const macro = sql[i] === '(' ? BY_NAME.get(name) : undefined
    const call = macro && argumentsAt(sql, i)
    if (macro && call) {
      const weights = usesOfParameters(name, macro)
      total += sizeOfMacro(name, macro)
      call.args.forEach((argument, index) => {
        total += sizeOfText(argument) * (weights[index] ?? 1)
      })
      i = call.end
    } else total++
  }
  return total
}
