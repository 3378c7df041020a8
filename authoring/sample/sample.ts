/** `sluice sample`: writes demo data into the data folder, made-up logs of one vendor's platform in nine streams. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../runner/platform/clock.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { SETTING, writeFailure } from '../../runner/platform/write-failure.js'
import type { Settings } from '../../runner/settings/settings.js'
import { timeArgument, wholeNumber } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { fillAtomically } from '../terminal/write-atomically.js'
import { busiestProject, SAMPLE_STREAMS, type SampleOptions, sampleLines } from './generate.js'

export interface SampleFlags {
  readonly count: string
  readonly seed: string
  /** An ISO 8601 time. */
  readonly now?: string
  readonly ifEmpty?: boolean
}

const MAX_COUNT = 10_000_000

export async function writeSample(
  { dataDir }: Settings,
  { count, seed, now, ifEmpty }: SampleFlags,
  io: Io,
): Promise<number> {
  const folder = join(dataDir, 'logs')
  if (ifEmpty && (await hasFiles(folder))) return EXIT.clean
  const options: SampleOptions = {
    count: wholeNumber('--count', count, 1, MAX_COUNT),
    seed: wholeNumber('--seed', seed, 0, 0xffffffff),
    nowMicros: now === undefined ? systemClock().nowMicros() : timeArgument('--now', now),
  }
  const target = { what: 'sample entries into', path: folder, setting: SETTING.data }
  try {
    makeFolder(folder)
  } catch (cause) {
    throw writeFailure(target, cause)
  }
  io.printError(`writing sample entries into ${folder}…\n`)
  for (const stream of SAMPLE_STREAMS) {
    await fillAtomically({ ...target, path: join(folder, `${stream}.ndjson`) }, async file => {
      for (const piece of pieces(sampleLines(stream, options))) await file.writeFile(piece)
    })
  }
  io.print(
    `wrote ${options.count} entries of each of ${SAMPLE_STREAMS.length} streams into ${folder}; the busiest project is ${busiestProject(options.seed)}\n`,
  )
  return EXIT.clean
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some(name => !name.startsWith('.'))
  } catch {
    return false
  }
}

/** Joins lines into pieces that are large enough for one write each. */
function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length > 1 << 18) {
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}
