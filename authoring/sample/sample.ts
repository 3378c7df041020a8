/** `sluice sample`: writes demo data into the data folder, made-up logs of one vendor's platform in nine streams. */
import { createWriteStream } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../../runner/platform/clock.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { SETTING, writeFailure } from '../../runner/platform/write-failure.js'
import type { Settings } from '../../runner/settings/settings.js'
import { timeArgument, wholeNumber } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { busiestProject, SAMPLE_STREAMS, type SampleOptions, type SampleStream, sampleLines } from './generate.js'

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
  try {
    makeFolder(folder)
    io.printError(`writing sample entries into ${folder}…\n`)
    for (const stream of SAMPLE_STREAMS) await writeStream(folder, stream, options)
  } catch (cause) {
    throw writeFailure({ what: 'sample entries into', path: folder, setting: SETTING.data }, cause)
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

/** Writes one stream atomically: a reader sees the old file or the new one, never a part. */
async function writeStream(folder: string, stream: SampleStream, options: SampleOptions): Promise<void> {
  const file = join(folder, `${stream}.ndjson`)
  const unfinished = join(folder, `.${stream}.ndjson.tmp`)
  try {
    await pipeline(Readable.from(chunks(sampleLines(stream, options))), createWriteStream(unfinished))
    await rename(unfinished, file)
  } catch (thrown) {
    await rm(unfinished, { force: true })
    throw thrown
  }
}

/** Joins lines into chunks that are large enough for one write each. */
function* chunks(lines: Iterable<string>): Generator<string> {
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
