/**
 * Compares the embedded engine with the reference implementation by random queries, and writes the differences to
 * .cache/fuzz/. Exits with 1 when there are differences, and with 2 for a wrong command line.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installReference } from '../oracle/install.js'
import { openEngines } from './engines.js'
import { generate } from './families.js'
import { type Class, DIFFERENCES } from './judge.js'
import { OptionError, type Options, REFRESH, readOptions } from './options.js'
import { runRefreshes } from './refresh/family.js'
import { questionOf } from './render.js'
import { reportText } from './report.js'
import { Session } from './session.js'

const FOLDER = fileURLToPath(new URL('../../.cache/fuzz', import.meta.url))
const PROGRESS_EVERY = 500
/** The number of causes whose queries are printed. */
const SHOWN = 20

const say = (...lines: readonly string[]): boolean => process.stdout.write(`${lines.join('\n')}\n`)

try {
  const options = readOptions(process.argv.slice(2), () => String(Math.floor(Math.random() * 1e9)))
  if (options.isPrinted) print(options)
  else if (options.families.includes(REFRESH)) process.exitCode = await runRefreshes(options, say)
  else process.exitCode = await run(options)
} catch (error) {
  if (!(error instanceof OptionError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

function print({ seed, from, to, families }: Options): void {
  for (let i = from; i < to; i++) {
    const { family, node } = generate(seed, i, families)
    say(`-- ${i} ${family}`, questionOf(node).sql)
  }
}

async function run(options: Options): Promise<number> {
  const { seed, from, to, parallel, timeLimitMs } = options
  const folder = options.out ?? FOLDER
  say(`seed ${seed}`)
  const engines = await openEngines(installReference())
  const session = new Session(options, engines)
  const startedAt = Date.now()
  let next = from
  let shown = 0
  const work = async (): Promise<void> => {
    while (next < to && Date.now() - startedAt < timeLimitMs) {
      const index = next++
      await session.examine(index)
      if (session.done - shown >= PROGRESS_EVERY) {
        shown = session.done
        say(progress(session, startedAt))
        write(folder, seed, session)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    write(folder, seed, session)
    await engines.close()
  }
  const counted = DIFFERENCES.filter(kind => options.isStrict || kind !== 'lenient')
  const causes = session.causes.list().filter(cause => counted.includes(cause.class))
  for (const { key, sql, expected, found } of causes.slice(0, SHOWN)) {
    say('', key, `  ${sql}`, `  expected ${expected}`, `  found    ${found}`)
  }
  say('', ...summary(session, seed, startedAt), `${causes.length} causes: ${join(folder, 'report.md')}`)
  return session.count(...counted) > options.allow ? 1 : 0
}

function progress({ done, counts }: Session, startedAt: number): string {
  const seconds = (Date.now() - startedAt) / 1_000
  const figures = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([outcome, count]) => `${count} ${outcome}`)
  return `${done} queries, ${(done / seconds).toFixed(0)} a second: ${figures.join(', ')}`
}

function summary(session: Session, seed: string, startedAt: number): readonly string[] {
  const perThousand = (...kinds: Class[]): string =>
    ((session.count(...kinds) / Math.max(session.done, 1)) * 1_000).toFixed(2)
  return [
    `seed ${seed}: ${progress(session, startedAt)}`,
    `in 1,000: ${perThousand('wrong', 'type')} silently wrong, ${perThousand('error', 'internal', 'bare')} unexplained errors, ${perThousand('lenient')} too lenient`,
    `${session.count('agree')} answered alike by both, ${session.count('fail')} refused by both, ${session.count('refused')} refused by name, ${session.count('timeout')} time-outs, ${session.count('bare')} bare failures, ${session.count('explained')} explained, ${session.count('unanswered')} that the reference cannot answer`,
  ]
}

function write(folder: string, seed: string, { causes, done, counts, byFamily }: Session): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'report.md'), reportText({ seed, done, counts, byFamily, causes }))
  writeFileSync(join(folder, 'causes.json'), `${JSON.stringify(causes.list(), null, 2)}\n`)
}
