/** The faults of faults.yaml. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

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
