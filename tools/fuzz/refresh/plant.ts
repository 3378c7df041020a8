/** Plants each fault of faults.yaml in a copy of the program, and runs the family `refresh` until it is found. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** What the copy shares with the program, since no fault is planted there. */
const SHARED: readonly string[] = ['node_modules', 'dist', 'data']
const LEFT_OUT: readonly string[] = ['.git', '.cache', 'coverage']

export interface Fault {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** By file, then by name. */
type FaultFile = Readonly<Record<string, Readonly<Record<string, Pick<Fault, 'find' | 'replace'>>>>>

export function readFaults(): readonly Fault[] {
  const path = fileURLToPath(new URL('faults.yaml', import.meta.url))
  const files = parse(readFileSync(path, 'utf8')) as FaultFile
  return Object.entries(files).flatMap(([file, faults]) =>
    Object.entries(faults).map(([name, { find, replace }]) => ({ name, file, find, replace })),
  )
}

export interface PlantOptions {
  readonly seed: string
  /** The most steps for each fault. */
  readonly steps: number
  /** Only faults whose name contains this; '' for all. */
  readonly matching: string
}

/**
 * Returns the names of the faults that were not found. Each processor has a copy of the program, in which it plants one fault after
 * another.
 *
 * @throws TypeError where the program no longer has the text of a fault, or has it twice
 */
export async function plantFaults(
  { seed, steps, matching }: PlantOptions,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const missed: string[] = []
  const left = readFaults().filter(({ name }) => name.includes(matching))
  const plantIn = async (folder: string): Promise<void> => {
    copyProgram(folder)
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const { name, file, find, replace } = fault
      const path = join(folder, file)
      const text = readFileSync(path, 'utf8')
      const pieces = text.split(find)
      if (pieces.length !== 2) throw new TypeError(`${file} has the text of “${name}” ${pieces.length - 1} times`)
      writeFileSync(path, pieces.join(replace))
      const found = await firstDifference(folder, seed, steps)
      writeFileSync(path, text)
      say(`${found === null ? 'NOT FOUND' : found.padStart(9)}  ${file}: ${name}`)
      if (found === null) missed.push(name)
    }
  }
  const folders = Array.from({ length: availableParallelism() }, () => mkdtempSync(join(tmpdir(), 'sluice-fault-')))
  try {
    await Promise.all(folders.map(plantIn))
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
  return missed
}

function copyProgram(folder: string): void {
  for (const name of readdirSync(ROOT)) {
    if (SHARED.includes(name)) symlinkSync(join(ROOT, name), join(folder, name))
    else if (!LEFT_OUT.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
}

/** The step of the first difference, or how the run has failed; null for a run without one. */
function firstDifference(folder: string, seed: string, steps: number): Promise<string | null> {
  const args = ['--import', 'tsx', 'tools/fuzz/run.ts', '--family', 'refresh', '--seed', seed, '--count', String(steps)]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (text += bytes.toString()))
  return new Promise(resolve =>
    child.on('close', code => {
      const step = /^step (\d+): (.*);/m.exec(text)
      resolve(step ? step[1]! : code === 0 ? null : 'failed')
    }),
  )
}
