/** Runs the family `refresh`: see rounds.ts. It needs nothing but the embedded engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckdbEngine, openDuckdbEngine } from '../../../runner/engines/duckdb/index.js'
import { systemClock } from '../../../runner/platform/clock.js'
import type { Options } from '../options.js'
import { plantFaults } from './plant.js'
import { type Difference, runRound, type Scene, STEPS_PER_ROUND, Tally } from './rounds.js'
import { DATASET, declaredTables, FileWriter, LANES, PROJECT, writeFoundTables } from './tables.js'

const PROGRESS_EVERY_MS = 10_000

type RefreshOptions = Pick<Options, 'seed' | 'from' | 'to' | 'timeLimitMs' | 'allow'>

/** Runs the steps from `from` to `to`, and those before them in their round. Ends once there are more differences than allowed. */
export async function refreshTally(
  { seed, from, to, timeLimitMs, allow }: RefreshOptions,
  tell: (tally: Tally) => void,
): Promise<Tally> {
  const tally = new Tally()
  const startedAt = Date.now()
  let told = startedAt
  const isOver = (): boolean => Date.now() - startedAt > timeLimitMs || tally.differences.length > allow
  const first = Math.floor(from / STEPS_PER_ROUND)
  await withScene(async scene => {
    const lane = async (start: number): Promise<void> => {
      for (let round = start; round * STEPS_PER_ROUND < to && !isOver(); round += LANES) {
        await runRound(seed, round, scene, tally, { until: to, isOver })
        if (Date.now() - told < PROGRESS_EVERY_MS) continue
        told = Date.now()
        tell(tally)
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, i) => lane(first + i)))
  })
  return tally
}

async function withScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'))
  const writer = await FileWriter.open(folder)
  const engines: DuckdbEngine[] = []
  try {
    await writeFoundTables(writer)
    for (let i = 0; i < 2; i++) engines.push(await openEngine(writer.dataDir))
    await work({ engines, writer })
  } finally {
    await Promise.all(engines.map(engine => engine.close()))
    writer.close()
    rmSync(folder, { recursive: true })
  }
}

const openEngine = (dataDir: string): Promise<DuckdbEngine> =>
  openDuckdbEngine({
    dataDir,
    database: null,
    tables: declaredTables(),
    naming: { project: PROJECT, defaultDataset: DATASET },
    memoryLimitMb: 256,
    threads: 1,
    tempDir: tmpdir(),
    observe: () => undefined,
    clock: systemClock(),
  })

/** Prints what has happened. Returns the exit code. */
export async function runRefreshes(options: Options, say: (...lines: readonly string[]) => void): Promise<number> {
  const { plantsFaults, matching, from, to } = options
  if (!plantsFaults) return runSteps(options, say)
  const missed = await plantFaults({ seed: options.seed, steps: to - from, matching }, say)
  say(`${missed.length} faults were not found`)
  return missed.length > options.allow ? 1 : 0
}

async function runSteps(options: RefreshOptions, say: (...lines: readonly string[]) => void): Promise<number> {
  const { seed } = options
  const startedAt = Date.now()
  say(`seed ${seed}`)
  const tally = await refreshTally(options, current => say(progressText(current, startedAt)))
  for (const difference of tally.differences) say('', ...differenceLines(difference, seed))
  const reasons = [...tally.queries].sort(([, a], [, b]) => b.count - a.count)
  say('', `${tally.broken} queries break a rule; those that break none, by why they are not kept:`)
  for (const [reason, { count, sql }] of reasons)
    say(`${String(count).padStart(6)} ${reason || 'kept'}`, `         ${sql.replaceAll('\n', ' ')}`)
  say('', progressText(tally, startedAt))
  return tally.differences.length > options.allow ? 1 : 0
}

function progressText(
  { steps, partial, keptBuckets, buckets, failed, unsteady, differences }: Tally,
  startedAt: number,
): string {
  const perSecond = (steps / ((Date.now() - startedAt) / 1_000)).toFixed(0)
  return `${steps} steps, ${perSecond} a second: ${partial} took kept rows, ${keptBuckets} of ${buckets} buckets; ${failed} failed, ${unsteady} unsteady, ${differences.length} differences`
}

function differenceLines(
  { step, what, query, parameters, expected, found, scene }: Difference,
  seed: string,
): readonly string[] {
  return [
    `step ${step}: ${what}; again by --family refresh --seed ${seed} --from ${step} --count 1`,
    query.sql,
    JSON.stringify(parameters),
    `expected ${expected}`,
    `found    ${found}`,
    ...scene,
  ]
}
