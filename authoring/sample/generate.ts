/** Sample log entries for the nine streams: reproducible from a seed, ending now. */
import { functionEdgeEntry, functionRuntimeEntry } from './functions.js'
import { edgeEntry } from './gateway.js'
import { isoMicros, moments } from './moments.js'
import { type Random, seededRandom, seedOf } from './random.js'
import { authEntry, poolerEntry, postgresEntry, realtimeEntry, restEntry, storageEntry } from './services.js'
import { makeWorld, type World } from './world.js'

type MakeEntry = (random: Random, world: World, isoTime: string) => object

const STREAMS = {
  edge: edgeEntry,
  postgres: postgresEntry,
  function_edge: functionEdgeEntry,
  function_runtime: functionRuntimeEntry,
  auth: authEntry,
  realtime: realtimeEntry,
  storage: storageEntry,
  rest: restEntry,
  pooler: poolerEntry,
} as const satisfies Record<string, MakeEntry>

/** The nine streams; each is the table `logs.<stream>`. */
export type SampleStream = keyof typeof STREAMS
export const SAMPLE_STREAMS = Object.keys(STREAMS) as readonly SampleStream[]

export interface SampleOptions {
  readonly seed: number
  /** The number of entries of each stream. */
  readonly count: number
  /** The time of the newest entry, in microseconds since 1970. */
  readonly nowMicros: bigint
}

/** The entries of a stream, oldest first, as lines of JSON that end in a line feed. */
export function* sampleLines(stream: SampleStream, options: SampleOptions): Generator<string> {
  const random = seededRandom(seedOf(stream, options.seed))
  const world = makeWorld(options.seed)
  for (const moment of moments(options.count, options.nowMicros, random)) {
    yield `${JSON.stringify(STREAMS[stream](random, world, isoMicros(moment)))}\n`
  }
}

/** The project with the most traffic: the one to try first. */
export const busiestProject = (seed: number): string => makeWorld(seed).projects[0]!.ref
