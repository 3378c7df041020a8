/** `sluice client`: writes a typed client of the endpoints, as one file. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import { lineDifference } from '../diff/line-difference.js'
import { assignments } from '../terminal/arguments.js'
import { readIfExists, writeText } from '../terminal/files.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { clientEndpoints } from './endpoints.js'
import { pythonClient } from './python.js'
import { typescriptClient } from './typescript.js'

export interface ClientFlags {
  readonly lang: 'ts' | 'python'
  readonly url?: string
  readonly allow?: readonly string[]
  readonly pin?: readonly string[]
  readonly out?: string
  readonly check?: boolean
}

const WRITERS = {
  ts: { write: typescriptClient, runtime: 'runtime.ts' },
  python: { write: pythonClient, runtime: 'runtime.py' },
} as const

/**
 * Writes the client to `out`, or prints it. With `check` it writes nothing; if the file has another text, it prints the difference
 * and resolves to 1.
 * @throws UsageError, LoadError, SetupError.
 */
export async function writeClient(
  settings: Settings,
  { lang, url, allow = ['*'], pin = [], out, check = false }: ClientFlags,
  io: Io,
): Promise<number> {
  if (check && out === undefined) throw new UsageError(['--check needs --out FILE, the file to compare'])
  const endpoints = await clientEndpoints(settings, url, { allow, pin: assignments('--pin', pin) })
  if (endpoints.length === 0) {
    io.printError(
      `sluice: there is no endpoint that ${url === undefined ? 'these flags select' : 'the token may call'}\n`,
    )
    return EXIT.problems
  }
  const { write, runtime } = WRITERS[lang]
  const text = write(endpoints, readRuntime(runtime))
  if (out === undefined) {
    io.print(text)
    return EXIT.clean
  }
  if (check) return checkFile(out, text, io)
  writeText(out, text)
  io.printError(`wrote ${out}: ${plural(endpoints.length, 'endpoint')}\n`)
  return EXIT.clean
}

/** The part of a client that is the same for all endpoints. */
function readRuntime(name: string): string {
  const root = dirname(fileURLToPath(import.meta.resolve('#package')))
  return readFileSync(join(root, 'templates', 'client', name), 'utf8')
}

/** The most lines of a difference that are shown. */
const MAX_SHOWN = 40

function checkFile(file: string, text: string, io: Io): number {
  // A checkout may end its lines with CRLF.
  const current = readIfExists(file)?.replaceAll('\r\n', '\n') ?? null
  if (current === null) {
    io.printError(`sluice: there is no ${file}\n`)
    return EXIT.problems
  }
  if (current === text) return EXIT.clean
  io.printError(`sluice: ${file} is out of date: "sluice client" would now write another text\n`)
  const lines = lineDifference(current.split('\n'), text.split('\n'))
  const hiddenLines = lines.length - MAX_SHOWN
  const more = hiddenLines > 0 ? [`and ${plural(hiddenLines, 'more line')}`] : []
  io.print([...lines.slice(0, MAX_SHOWN), ...more].map(line => `${line}\n`).join(''))
  return EXIT.problems
}
