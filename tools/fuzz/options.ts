/** The command line of `make fuzz`. */
import { parseArgs } from 'node:util'
import { familyNames } from './families.js'

export interface Options {
  readonly seed: string
  /** Numbers of queries, the last one excluded. */
  readonly from: number
  readonly to: number
  /** Families to ask, or with `-` in front not to ask; empty for all. */
  readonly families: readonly string[]
  readonly timeLimitMs: number
  /** Queries in flight. */
  readonly parallel: number
  /** Differences that do not make the run a failure. */
  readonly allow: number
  /** Rows for queries that the reference refuses count as differences too. */
  readonly isStrict: boolean
  /** Queries with such a text are passed over. */
  readonly without: RegExp | null
  /** Write the queries and ask nothing. */
  readonly isPrinted: boolean
  /** The folder of the report; null for the usual one. */
  readonly out: string | null
}

/** What is wrong with the command line. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/** @throws OptionError */
export function readOptions(args: readonly string[], newSeed: () => string): Options {
  const { values } = parsed(args)
  const families = values.family ?? []
  const unknown = families.filter(name => !familyNames().includes(name.replace(/^-/, '')))
  if (unknown.length > 0) {
    throw new OptionError(`There is no family ${unknown.join(', ')}; there are ${familyNames().join(', ')}`)
  }
  const from = integer('from', values.from, 0)
  return {
    seed: values.seed ?? newSeed(),
    from,
    to: from + integer('count', values.count, 1_000),
    families,
    timeLimitMs:
      values['time-limit'] === undefined
        ? Number.POSITIVE_INFINITY
        : integer('time-limit', values['time-limit'], 0) * 1_000,
    parallel: integer('parallel', values.parallel, 4),
    allow: integer('allow', values.allow, 0),
    isStrict: values.strict ?? false,
    without: values.without === undefined ? null : new RegExp(values.without),
    isPrinted: values.print ?? false,
    out: values.out ?? null,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        count: { type: 'string' },
        from: { type: 'string' },
        family: { type: 'string', multiple: true },
        'time-limit': { type: 'string' },
        parallel: { type: 'string' },
        allow: { type: 'string' },
        strict: { type: 'boolean' },
        without: { type: 'string' },
        print: { type: 'boolean' },
        out: { type: 'string' },
      },
    })
  } catch (error) {
    throw new OptionError((error as Error).message)
  }
}

function integer(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^\d+$/.test(text)) throw new OptionError(`--${name} is a whole number, not ${text}`)
  return Number(text)
}
