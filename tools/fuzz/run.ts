/**
 * Holds the embedded engine against the reference implementation with random queries, and writes what differs to
 * .cache/fuzz/; exits 1 when something does.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installReference } from '../oracle/install.js'
import { type Cause, Causes, causesText } from './causes.js'
import { openEngines } from './engines.js'
import { reasonOf } from './explained.js'
import { familyNames, generate } from './families.js'
import { type Class, DIFFERENCES, judge, type Verdict } from './judge.js'
import { type Question, questionOf } from './render.js'
import { shrink, standingAlone } from './shrink.js'
import type { Node } from './tree.js'

const FOLDER = fileURLToPath(new URL('../../.cache/fuzz', import.meta.url))

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    count: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    family: { type: 'string', multiple: true, default: [] },
    'time-limit': { type: 'string' },
    parallel: { type: 'string', default: '4' },
    allow: { type: 'string', default: '0' },
    without: { type: 'string' },
    print: { type: 'boolean', default: false },
    out: { type: 'string', default: FOLDER },
  },
})
const unknown = options.family.filter(name => !familyNames().includes(name.replace(/^-/, '')))
if (unknown.length > 0) {
  process.stderr.write(`No family ${unknown.join(', ')}; there are ${familyNames().join(', ')}\n`)
  process.exit(2)
}
const { seed } = options
const without = options.without === undefined ? undefined : new RegExp(options.without)
const first = Number(options.from)
const last = first + Number(options.count)
const until =
  options['time-limit'] === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(options['time-limit']) * 1_000

if (options.print) {
  for (let i = first; i < last; i++) {
    const { family, node } = generate(seed, i, options.family)
    process.stdout.write(`-- ${i} ${family}\n${questionOf(node).sql}\n`)
  }
  process.exit(0)
}

const engines = await openEngines(installReference())
const counts = new Map<Class | 'explained', number>()
const byFamily = new Map<string, Map<string, number>>()
const causes = new Causes()
const startedAt = Date.now()
let next = first
let done = 0

const ask = async (question: Question): Promise<Verdict> => {
  const [ours, theirs] = await Promise.all([engines.ours(question), engines.theirs(question)])
  return judge(question, ours, theirs)
}

const count = (family: string, kind: Class | 'explained'): void => {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const of = byFamily.get(family) ?? new Map<string, number>()
  byFamily.set(family, of.set(kind, (of.get(kind) ?? 0) + 1))
}

async function examine(index: number): Promise<void> {
  const { family, node } = generate(seed, index, options.family)
  const question = questionOf(node)
  if (without?.test(question.sql)) return
  const verdict = await ask(question)
  const reason = DIFFERENCES.includes(verdict.class) ? reasonOf(question.sql, verdict) : undefined
  count(family, reason ? 'explained' : verdict.class)
  done++
  if (verdict.class === 'agree') causes.agree(node)
  if (verdict.class === 'lazy') {
    const lenient = await withoutExcuse(node)
    if (lenient) causes.add({ index, family, question, ...lenient })
  }
  if (verdict.class === 'refused') causes.refuse(verdict.detail)
  if (verdict.class === 'unanswered') causes.leave(verdict.detail)
  if (!DIFFERENCES.includes(verdict.class) || reason) return
  const known = causes.enough(verdict)
  if (known) {
    known.count++
    return
  }
  const small = await shrink(node, candidate => isSame(candidate, verdict), verdict.class === 'timeout' ? 15 : 250)
  const smallQuestion = questionOf(small)
  const smallVerdict = await ask(smallQuestion)
  // An answer that came late when the machine had other work is no difference.
  const isGone = smallVerdict.class !== verdict.class
  if (isGone || reasonOf(smallQuestion.sql, smallVerdict)) {
    counts.set(verdict.class, counts.get(verdict.class)! - 1)
    count(family, 'explained')
    return
  }
  causes.add({ index, family, question, small, smallQuestion, verdict: smallVerdict })
}

/** Where evaluation could not have stopped earlier: a value of constants that are all there. */
const EXCUSES =
  /\b(FROM|WHERE|CASE|IF|IFNULL|COALESCE|NULLIF|AND|OR|IN|BETWEEN|LIKE|GREATEST|LEAST|ERROR|SAFE|NULL|SELECT\b.*\bSELECT)\b|->/

/** The smallest expression of a query over which the reference fails and which has a value here all the same. */
async function withoutExcuse(
  node: Node,
): Promise<{ small: Node; smallQuestion: Question; verdict: Verdict } | undefined> {
  for (const small of [node, ...standingAlone(node)].slice(0, 12)) {
    const smallQuestion = questionOf(small)
    if (EXCUSES.test(smallQuestion.sql)) continue
    const verdict = await ask(smallQuestion)
    if (verdict.class === 'lazy' && !/^\[\[null\]\]/.test(verdict.found)) {
      return { small, smallQuestion, verdict: { ...verdict, class: 'lenient' } }
    }
  }
  return undefined
}

async function isSame(candidate: Node, verdict: Verdict): Promise<boolean> {
  const other = await ask(questionOf(candidate))
  return other.class === verdict.class && other.detail === verdict.detail && other.theirs === verdict.theirs
}

const workers = Array.from({ length: Number(options.parallel) }, async () => {
  while (next < last && Date.now() < until) {
    const index = next++
    try {
      await examine(index)
    } catch (error) {
      process.stderr.write(`${seed}/${index}: ${(error as Error).stack}\n`)
      causes.crash(index, error as Error)
    }
    if (done % 500 === 0) progress()
  }
})

function progress(): void {
  const seconds = (Date.now() - startedAt) / 1_000
  process.stdout.write(`${done} queries, ${(done / seconds).toFixed(0)} a second: ${figures()}\n`)
  write()
}

const figures = (): string =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, number]) => `${number} ${kind}`)
    .join(', ')

function write(): void {
  mkdirSync(options.out, { recursive: true })
  const found: readonly Cause[] = causes.list()
  writeFileSync(
    join(options.out, 'report.md'),
    causesText({
      seed,
      done,
      counts,
      byFamily,
      causes: found,
      refusals: causes.refusals,
      unanswered: causes.unanswered,
      calls: causes.calls,
    }),
  )
  writeFileSync(join(options.out, 'causes.json'), `${JSON.stringify(found, null, 2)}\n`)
}

await Promise.all(workers)
progress()
await engines.close()
const perThousand = (...kinds: Class[]): string =>
  ((kinds.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0) / Math.max(done, 1)) * 1_000).toFixed(2)
const differing = DIFFERENCES.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0)
process.stdout.write(
  [
    `seed ${seed}: ${done} queries in ${((Date.now() - startedAt) / 1_000).toFixed(0)} s, ${counts.get('agree') ?? 0} answered alike, ${counts.get('fail') ?? 0} refused by both`,
    `in 1,000: ${perThousand('wrong', 'type')} silently wrong, ${perThousand('error', 'internal', 'bare')} unexplained errors, ${perThousand('lenient')} too lenient`,
    `${counts.get('refused') ?? 0} refused by name, ${counts.get('timeout') ?? 0} time-outs, ${counts.get('bare') ?? 0} bare failures, ${counts.get('explained') ?? 0} explained, ${counts.get('unanswered') ?? 0} that the reference cannot answer`,
    `${causes.list().length} causes in ${join(options.out, 'report.md')}`,
    '',
  ].join('\n'),
)
process.exitCode = differing > Number(options.allow) ? 1 : 0
