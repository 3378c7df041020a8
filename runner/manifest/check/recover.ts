/** Removes the members that the schema refuses, so that the rules can find the other mistakes in the same run. */
import type { Manifest } from '../../model/manifest.js'
import type { NodePath } from '../source.js'
import { findSchemaMistakes, type SchemaMistake } from './schema.js'

export interface MendedManifest {
  readonly manifest: Manifest
  /** True when a type had to be guessed: errors of the SQL would then be misleading. */
  readonly hasGuessedTypes: boolean
}

/** Null when too little is left to check. */
export function mendManifest(value: unknown, mistakes: readonly SchemaMistake[]): MendedManifest | null {
  if (mistakes.length === 0) return { manifest: value as Manifest, hasGuessedTypes: false }
  const copy: unknown = structuredClone(value)
  let hasGuessedTypes = false
  for (const mistake of mistakes) {
    const [section, name, member] = mistake.path
    if (section === 'parameters' && (member === 'type' || mistake.rule === 'schema/missing-key')) {
      hasGuessedTypes = true
      setAt(copy, ['parameters', name!, 'type'], 'string')
    } else if (mistake.rule === 'schema/unknown-key') {
      setAt(copy, mistake.at ?? [], undefined)
    } else if (
      section === 'settings' ||
      section === 'tenant' ||
      section === 'description' ||
      (section === 'parameters' && member !== undefined)
    ) {
      setAt(copy, mistake.path, undefined)
    }
  }
  return findSchemaMistakes(copy).length === 0 ? { manifest: copy as Manifest, hasGuessedTypes } : null
}

/** Sets a member, or deletes it when `value` is undefined; does nothing where the path does not exist. */
function setAt(root: unknown, path: NodePath, value: unknown): void {
  let at = root
  for (const step of path.slice(0, -1)) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, step)) return
    at = (at as Record<string | number, unknown>)[step]
  }
  const last = path[path.length - 1]
  if (last === undefined || at === null || typeof at !== 'object') return
  if (value === undefined) delete (at as Record<string | number, unknown>)[last]
  else (at as Record<string | number, unknown>)[last] = value
}
