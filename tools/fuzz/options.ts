/** The command line of `make fuzz`. */
import { parseArgs } from 'node:util'
import { familyNames } from './families.js'

export interface Options {
  readonly seed: string
  /** The numbers of the queries, from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** The families of queries to run; a name after `-` is left out. Empty for all. */
  readonly families: readonly string[]
  readonly timeLimitMs: number
  /** The number of queries that run at the same time. */
  readonly parallel: number
  /** The number of differences up to which the run succeeds. */
  readonly allow: number
  /** True: a query that the reference refuses but the embedded engine answers counts as a difference. */
  readonly isStrict: boolean
  /** Queries whose SQL matches are skipped; null for none. */
  readonly without: RegExp | null
  /** True: the queries are printed, not run. */
  readonly isPrinted: boolean
  /**
   * Whether faults are planted in copies of the program, to see which ones the family `refresh` finds; `count` is the number of steps
   * for each, and only faults are planted whose names contain `matching`.
   */
  readonly plantsFaults: boolean
  readonly matching: string
  /** The folder of the report; null for the default one. */
  readonly out: string | null
}

/** The family of refreshes, which is run alone: it has no queries for the reference. */
export const REFRESH = 'refresh'

/** A mistake on the command line. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/** @throws OptionError for a command line that is not valid */
export function readOptions(args: readonly string[], newSeed: () => string): Options {
  const { values } = parsed(args)
  const families = values.family ?? []
  const names = [...familyNames(), REFRESH]
  const unknown = families.filter(name => !names.includes(name.replace(/^-/, '')))
  if (unknown.length > 0) {
    throw new OptionError(`There is no family ${unknown.join(', ')}; there are ${names.join(', ')}`)
  }
  if (families.includes(REFRESH) && families.length > 1) throw new OptionError(`The family ${REFRESH} is run alone`)
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
    plantsFaults: values.faults ?? false,
    matching: values.matching ?? '',
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
        faults: { type: 'boolean' },
        matching: { type: 'string' },
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
