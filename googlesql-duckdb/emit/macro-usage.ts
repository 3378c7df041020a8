/**
 * Counts how often an argument appears in DuckDB's plan: macros expand as text, so a parameter that a macro's body reads
 * three times is computed three times.
 */
import { MACROS } from '../runtime/macros/all.js'
import type { Macro } from '../runtime/macros/macro.js'
import { argumentsAt } from './operand.js'

const BY_NAME = new Map(MACROS.map(macro => [macro.name, macro]))
const uses = new Map<string, readonly number[]>()
const queries = new Map<string, boolean>()
const lambdas = new Map<string, boolean>()

/** How often the macro's body reads each parameter, including through the macros that it calls. */
function usesOfParameters({ name, parameters, body }: Macro): readonly number[] {
  const known = uses.get(name)
  if (known) return known
  const counted = parameters.map(parameter => usesOf(body, parameter))
  uses.set(name, counted)
  return counted
}

/** Whether the SQL, or a macro that it calls, contains a subquery. Such SQL is not allowed in a lambda. */
export const hasQuery = (sql: string): boolean => hasWord(sql, /\bselect\b/i, queries)

/** Whether the SQL, or a macro that it calls, contains a lambda or builds a struct. */
export const hasLambda = (sql: string): boolean => hasWord(sql, /\blambda\b|\bstruct_pack\b|\{/i, lambdas)

/** Whether the SQL, or a macro that it calls, matches `word`. `known` caches the results for macros. */
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

/** How often DuckDB evaluates `word` in the SQL. The word is the name of a macro's parameter or a slot. */
export function usesOf(sql: string, word: string): number {
  return count(withoutQuoted(sql), word)
}

/** Removes quoted text, which reads no parameter; quoted names stay. */
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
      const weights = usesOfParameters(macro)
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

/**
 * The name and arguments, where the SQL is one call of a function of this project, such as `bq_sum_int64(sum(x))`; else null.
 */
export function callOf(sql: string): { readonly name: string; readonly args: readonly string[] } | null {
  const name = /^bq_\w+(?=\()/.exec(sql)?.[0]
  const call = name === undefined ? null : argumentsAt(sql, name.length)
  return name !== undefined && call?.end === sql.length ? { name, args: call.args } : null
}

const sizes = new Map<string, number>()

/**
 * The size of the plan that DuckDB binds: the number of names and literals in the SQL, including the bodies of macros; a
 * macro's argument counts as often as the body reads it.
 */
export const sizeOfSql = (sql: string): number => sizeOfText(withoutQuoted(sql))

function sizeOfMacro({ name, parameters, body }: Macro): number {
  const known = sizes.get(name)
  if (known !== undefined) return known
  const reads = parameters.reduce((sum, parameter) => sum + usesOf(body, parameter), 0)
  const size = sizeOfSql(body) - reads
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
      const weights = usesOfParameters(macro)
      total += sizeOfMacro(macro)
      call.args.forEach((argument, index) => {
        total += sizeOfText(argument) * (weights[index] ?? 1)
      })
      i = call.end
    } else total++
  }
  return total
}
