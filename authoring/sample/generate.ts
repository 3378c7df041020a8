/** Sample log entries for the nine streams: reproducible from a seed, ending now. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { isoMicros, moments } from './moments.js'
import { seededRandom, seedOf } from './random.js'
import { readTemplate } from './template.js'
import { makeWorld, type Project } from './world.js'

/** The nine streams; each is the table `logs.<stream>`. */
export const SAMPLE_STREAMS = [
  'edge',
  'postgres',
  'function_edge',
  'function_runtime',
  'auth',
  'realtime',
  'storage',
  'rest',
  'pooler',
] as const
export type SampleStream = (typeof SAMPLE_STREAMS)[number]

export interface SampleOptions {
  readonly seed: number
  /** The number of entries of each stream. */
  readonly count: number
  /** The time of the newest entry, in microseconds since 1970. */
  readonly nowMicros: bigint
}

interface StreamTemplate {
  /** Values that are made before the entry. */
  readonly let?: Readonly<Record<string, unknown>>
  readonly entry: unknown
}

let templates: Readonly<Record<SampleStream, StreamTemplate>> | null = null

/** The file is parsed once for all streams. */
function templateOf(stream: SampleStream): StreamTemplate {
  const file = new URL('templates/sample.yaml', import.meta.resolve('#package'))
  templates ??= parse(readFileSync(file, 'utf8')) as Readonly<Record<SampleStream, StreamTemplate>>
  return templates[stream]
}

/** The entries of a stream, oldest first, as lines of JSON that end in a line feed. */
export function* sampleLines(stream: SampleStream, options: SampleOptions): Generator<string> {
  const { let: named = {}, entry } = templateOf(stream)
  const values = Object.entries(named).map(([name, template]) => [name, readTemplate(template)] as const)
  const fillEntry = readTemplate(entry)
  const random = seededRandom(seedOf(stream, options.seed))
  const world = makeWorld(options.seed)
  for (const moment of moments(options.count, options.nowMicros, random)) {
    const scope = entryScope(world.pickProject(random), isoMicros(moment))
    for (const [name, fill] of values) scope[name] = fill(random, scope)
    yield `${JSON.stringify(fillEntry(random, scope))}\n`
  }
}

/** The values about the project and the time of an entry that a template may use. */
function entryScope(project: Project, time: string): Record<string, unknown> {
  const date = new Date(time)
  return {
    project,
    app: project.ref.slice(0, 5),
    time,
    date: time.slice(0, 10),
    clock: time.slice(11, 19),
    clock_ms: time.slice(11, 23),
    millis: date.getTime(),
    micros: date.getTime() * 1000,
    http_date: date.toUTCString(),
  }
}

/** The project with the most traffic: the one to try first. */
export const busiestProject = (seed: number): string => makeWorld(seed).projects[0]!.ref
