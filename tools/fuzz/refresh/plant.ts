/** Plants each fault in a copy of the program, and runs the family `refresh` until it is found. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Fault, readFaults } from './faults.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** What the copy shares with the program, since no fault is planted there. */
const SHARED: readonly string[] = ['node_modules', 'dist', 'data']
const LEFT_OUT: readonly string[] = ['.git', '.cache', 'coverage']

export interface PlantOptions {
  readonly seed: string
  /** The most steps for each fault. */
  readonly steps: number
  /** Only faults whose name contains this; '' for all. */
  readonly matching: string
}

/** Returns the names of the faults that were not found. */
export async function plantFaults(
  { seed, steps, matching }: PlantOptions,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const missed: string[] = []
  for (const fault of readFaults().filter(({ name }) => name.includes(matching))) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-fault-'))
    try {
      copyProgram(folder)
      plant(folder, fault)
      const found = await firstDifference(folder, seed, steps)
      say(`${found === null ? 'NOT FOUND' : found.padStart(9)}  ${fault.file}: ${fault.name}`)
      if (found === null) missed.push(fault.name)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return missed
}

function copyProgram(folder: string): void {
  for (const name of readdirSync(ROOT)) {
    if (SHARED.includes(name)) symlinkSync(join(ROOT, name), join(folder, name))
    else if (!LEFT_OUT.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
}

/** @throws TypeError where the program no longer has the text of the fault, or has it twice */
function plant(folder: string, { name, file, find, replace }: Fault): void {
  const path = join(folder, file)
  const pieces = readFileSync(path, 'utf8').split(find)
  if (pieces.length !== 2) throw new TypeError(`${file} has the text of “${name}” ${pieces.length - 1} times`)
  unlinkSync(path)
  writeFileSync(path, pieces.join(replace))
}

/** The step of the first difference, or how the run has failed; null for a run without one. */
function firstDifference(folder: string, seed: string, steps: number): Promise<string | null> {
  const args = ['--import', 'tsx', 'tools/fuzz/run.ts', '--family', 'refresh', '--seed', seed, '--count', String(steps)]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  return new Promise(resolve =>
    child.on('close', code => {
      const step = /^step (\d+): (.*);/m.exec(text)
      resolve(step ? step[1]! : code === 0 ? null : 'failed')
    }),
  )
}
