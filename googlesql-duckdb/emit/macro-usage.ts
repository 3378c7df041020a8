/**
 * Finds how large SQL becomes in DuckDB's plan. Macros expand as text: a parameter that a macro's body reads three times is computed three
 * times.
 */
import { memo } from '../../googlesql/data.js'
import { MACROS } from '../runtime/macros/all.js'
import type { Macro } from '../runtime/macros/macro.js'
import { argumentsAt } from './operand.js'

export interface SqlFacts {
  /** How often DuckDB evaluates each name, by the name in lower case: a column, a macro's parameter or a slot. */
  readonly uses: ReadonlyMap<string, number>
  /**
   * The size of the plan that DuckDB binds: the number of names and literals in the SQL, including the bodies of macros; a
   * macro's argument counts as often as the body reads it.
   */
  readonly size: number
  /** Whether the SQL, or a macro that it calls, contains a subquery. Such SQL is not allowed in a lambda. */
  readonly hasQuery: boolean
  /** Whether the SQL, or a macro that it calls, contains a lambda or builds a struct. */
  readonly hasLambda: boolean
}

/** The same facts about a macro's body, without its arguments. `uses` is how often the body reads each parameter. */
interface MacroFacts extends Omit<SqlFacts, 'uses'> {
  readonly uses: readonly number[]
}

const MACRO_BY_NAME = new Map(MACROS.map(macro => [macro.name, macro]))
const macroFacts = new Map<Macro, MacroFacts>()

const factsOfMacro = (macro: Macro): MacroFacts => memo(macroFacts, macro, readMacro)

function readMacro(macro: Macro): MacroFacts {
  const facts = factsOf(macro.body)
  const uses = macro.parameters.map(parameter => facts.uses.get(parameter) ?? 0)
  return { ...facts, uses, size: facts.size - uses.reduce((sum, count) => sum + count, 0) }
}

/** Matches a name or names joined by dots, digits, or a quoted text. */
const WORDS = /(?:[a-z_][\w$]*|"(?:[^"]|"")*")(?:\.(?:[a-z_][\w$]*|"(?:[^"]|"")*"))*|\d+|''/gi

export function factsOf(sql: string): SqlFacts {
  const text = withoutQuoted(sql)
  const uses = new Map<string, number>()
  let size = 0
  let hasQuery = /\bselect\b/i.test(text)
  let hasLambda = /\blambda\b|\bstruct_pack\b|\{/i.test(text)
  /** `times`: how often DuckDB evaluates this part. */
  const read = (part: string, times: number): void => {
    for (let i = 0; i < part.length; ) {
      WORDS.lastIndex = i
      const match = WORDS.exec(part)
      if (match === null) break
      const [word] = match
      i = match.index + word.length
      const macro = part[i] === '(' ? MACRO_BY_NAME.get(word) : undefined
      const call = macro && argumentsAt(part, i)
      if (macro && call) {
        const facts = factsOfMacro(macro)
        size += facts.size * times
        hasQuery ||= facts.hasQuery
        hasLambda ||= facts.hasLambda
        call.args.forEach((argument, index) => {
          read(argument, times * (facts.uses[index] ?? 1))
        })
        i = call.end
        continue
      }
      size += times
      const name = word.split('.', 1)[0]!.toLowerCase()
      if (part[match.index - 1] !== '.') uses.set(name, (uses.get(name) ?? 0) + times)
    }
  }
  read(text, 1)
  return { uses, size, hasQuery, hasLambda }
}

/** Removes quoted text, which reads no parameter; quoted names stay. */
const withoutQuoted = (sql: string): string => (sql.includes("'") ? sql.replace(/'(?:[^']|'')*'/g, "''") : sql)

/**
 * The name and arguments, where the SQL is one call of a function of this project, such as `bq_sum_int64(sum(x))`; else null.
 */
export function callOf(sql: string): { readonly name: string; readonly args: readonly string[] } | null {
  const name = /^bq_\w+(?=\()/.exec(sql)?.[0]
  const call = name === undefined ? null : argumentsAt(sql, name.length)
  return name !== undefined && call?.end === sql.length ? { name, args: call.args } : null
}
