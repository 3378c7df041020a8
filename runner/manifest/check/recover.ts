/** Takes out of a manifest what the schema refuses, so that the rules can tell the rest of the mistakes in the same run. */
import type { Manifest } from '../../model/manifest.js'
import type { NodePath } from '../source.js'
import { findSchemaMistakes, type SchemaMistake } from './schema.js'

export interface MendedManifest {
  readonly manifest: Manifest
  /** A type had to be guessed: what the SQL makes of it would only mislead. */
  readonly hasGuessedTypes: boolean
}

/** Null when too little is left to go on with. */
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

/** Sets or, with undefined, deletes a member; does nothing where the path does not lead. */
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
