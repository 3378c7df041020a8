/** The name and the version of the package, from its package.json: no other file of the program repeats them. */
import { readFileSync } from 'node:fs'

/** What a registry knows the package by. The program is called `sluice` under any name. */
export function ownPackage(): { readonly name: string; readonly version: string } {
  const text = readFileSync(new URL(import.meta.resolve('#package')), 'utf8')
  return JSON.parse(text) as { name: string; version: string }
}
