/** Runs the queries of a seed on both engines, counts the outcomes, and shrinks the queries with different answers. */
import { Causes } from './causes.js'
import type { Engines } from './engines.js'
import { reasonOf } from './explained.js'
import { generate } from './families.js'
import { type Class, DIFFERENCES, judge, type Verdict } from './judge.js'
import type { Options } from './options.js'
import { type Question, questionOf } from './render.js'
import { shrink, standingAlone } from './shrink.js'
import type { Node } from './tree.js'

export type Outcome = Class | 'explained'

/** The number of smaller queries that are tried; fewer after a time-out, since each may take as long again. */
const ATTEMPTS = 250
const LATE_ATTEMPTS = 15
const STANDING_ALONE = 12

/** Words that allow an engine not to evaluate some part of a query. Without them, every part must be evaluated. */
const EXCUSES =
  /\b(FROM|WHERE|CASE|IF|IFNULL|COALESCE|NULLIF|AND|OR|IN|BETWEEN|LIKE|GREATEST|LEAST|ERROR|SAFE|NULL|SELECT\b.*\bSELECT)\b|->/

export class Session {
  readonly causes = new Causes()
  readonly counts = new Map<Outcome, number>()
  readonly byFamily = new Map<string, Map<Outcome, number>>()
  done = 0
  readonly #options: Options
  readonly #engines: Engines

  constructor(options: Options, engines: Engines) {
    this.#options = options
    this.#engines = engines
  }

  /** The number of queries with one of these outcomes. */
  count(...outcomes: readonly Outcome[]): number {
    return outcomes.reduce((sum, outcome) => sum + (this.counts.get(outcome) ?? 0), 0)
  }

  /** Runs the query with this number on both engines and counts its outcome. */
  async examine(index: number): Promise<void> {
    const { seed, families, without } = this.#options
    const { family, node } = generate(seed, index, families)
    const question = questionOf(node)
    if (without?.test(question.sql)) return
    const verdict = await this.#ask(question)
    this.done++
    const outcome = await this.#outcome(index, node, verdict)
    this.counts.set(outcome, this.count(outcome) + 1)
    const ofFamily = this.byFamily.get(family) ?? new Map<Outcome, number>()
    this.byFamily.set(family, ofFamily.set(outcome, (ofFamily.get(outcome) ?? 0) + 1))
  }

  async #outcome(index: number, node: Node, verdict: Verdict): Promise<Outcome> {
    switch (verdict.class) {
      case 'agree':
        this.causes.agree(node)
        return 'agree'
      case 'refused':
        this.causes.refuse(verdict.detail)
        return 'refused'
      case 'unanswered':
        this.causes.leave(verdict.detail)
        return 'unanswered'
      case 'lazy':
        return this.#lazy(index, node)
      default:
        break
    }
    if (!DIFFERENCES.includes(verdict.class)) return verdict.class
    if (reasonOf(null, verdict)) return 'explained'
    if (this.causes.countKnown(index, verdict)) return verdict.class
    const attempts = verdict.class === 'timeout' ? LATE_ATTEMPTS : ATTEMPTS
    const small = await shrink(node, candidate => this.#isAlike(candidate, verdict), attempts)
    const question = questionOf(small)
    const found = await this.#ask(question)
    // The smallest query runs again: a time-out while the machine was busy is not a difference.
    if (found.class !== verdict.class || reasonOf(question.sql, found)) return 'explained'
    this.causes.add({ index, question, verdict: found })
    return verdict.class
  }

  /**
   * The reference fails while it runs a query that the embedded engine answers. That is a difference only if a part of the
   * query by itself, in which everything must be evaluated, shows it too.
   */
  async #lazy(index: number, node: Node): Promise<Outcome> {
    for (const small of [node, ...standingAlone(node)].slice(0, STANDING_ALONE)) {
      const question = questionOf(small)
      if (EXCUSES.test(question.sql)) continue
      const verdict = await this.#ask(question)
      const isNull = verdict.found.startsWith('[[null]]')
      const lenient: Verdict = { ...verdict, class: 'lenient' }
      if (verdict.class !== 'lazy' || isNull || reasonOf(question.sql, lenient)) continue
      this.causes.add({ index, question, verdict: lenient })
      return 'lenient'
    }
    return 'lazy'
  }

  async #ask(question: Question): Promise<Verdict> {
    const [ours, theirs] = await Promise.all([this.#engines.ours(question), this.#engines.theirs(question)])
    return judge(question, ours, theirs)
  }

  async #isAlike(candidate: Node, verdict: Verdict): Promise<boolean> {
    const other = await this.#ask(questionOf(candidate))
    return other.class === verdict.class && other.detail === verdict.detail && other.theirs === verdict.theirs
  }
}
