/** The version of the program. */
import { readFileSync } from 'node:fs'

/** The version in package.json. */
export function ownVersion(): string {
  const text = readFileSync(new URL(import.meta.resolve('#package')), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
