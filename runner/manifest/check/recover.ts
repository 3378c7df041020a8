/** Corrects a manifest that the JSON Schema refuses, so that the rules can find its other mistakes in the same run. */
import type { Manifest } from '../../model/manifest.js'
import { type ManifestSource, type NodePath, renamedSource } from '../source.js'
import { findSchemaMistakes, type SchemaMistake, schemaDiagnostics } from './schema.js'

export interface RecoveredManifest {
  readonly manifest: Manifest
  /** Gives a corrected key the place of the misspelt one in the file. */
  readonly source: ManifestSource
  /** True when a type had to be guessed: errors of the SQL would then be misleading. */
  readonly hasGuessedTypes: boolean
}

/** The mistakes that the schema finds; and the manifest without them, or null where too little is left to check. */
export interface SchemaOutcome {
  readonly diagnostics: ReturnType<typeof schemaDiagnostics>
  readonly recovered: RecoveredManifest | null
}

/** The most rounds of correction. A misspelt key hides the mistakes below it, which the next round finds. */
const MAX_ROUNDS = 4

export function checkSchema(value: unknown, source: ManifestSource): SchemaOutcome {
  let mistakes = findSchemaMistakes(value)
  if (mistakes.length === 0) {
    return { diagnostics: [], recovered: { manifest: value as Manifest, source, hasGuessedTypes: false } }
  }
  const copy: unknown = structuredClone(value)
  const diagnostics = [...schemaDiagnostics(mistakes, source)]
  // Without the key "sql", mistakes in the SQL have no place.
  if (mistakes.some(({ at, meant }) => meant === 'sql' && at?.length === 1)) return { diagnostics, recovered: null }
  const renamed: Renamed[] = []
  let known = source
  let hasGuessedTypes = false
  for (let round = 0; round < MAX_ROUNDS && mistakes.length > 0; round++) {
    for (const mistake of mistakes) {
      const one = rename(copy, mistake)
      if (one === null) hasGuessedTypes = remove(copy, mistake) || hasGuessedTypes
      else {
        renamed.push(one)
        known = renamedSource(known, one)
      }
    }
    mistakes = findSchemaMistakes(copy)
    // Mistakes elsewhere are consequences of what was removed.
    const hidden = mistakes.filter(({ path }) => renamed.some(one => one.path.every((step, i) => path[i] === step)))
    diagnostics.push(...schemaDiagnostics(hidden, known))
  }
  const recovered = mistakes.length > 0 ? null : { manifest: copy as Manifest, source: known, hasGuessedTypes }
  return { diagnostics, recovered }
}

/** A key as it should be, and as it is written. */
interface Renamed {
  readonly path: NodePath
  readonly key: string
}

/** Gives a misspelt key the name that it probably means, unless another has it; null where nothing was renamed. */
function rename(copy: unknown, { at, meant }: SchemaMistake): Renamed | null {
  if (at === undefined || meant === undefined) return null
  const parent = memberOf(copy, at.slice(0, -1))
  const key = at.at(-1)!
  if (parent === null || Object.hasOwn(parent, meant) || !Object.hasOwn(parent, key)) return null
  parent[meant] = parent[key]
  delete parent[key]
  return { path: [...at.slice(0, -1), meant], key: String(key) }
}

/** Removes the member that the schema refuses. Returns whether a type was guessed. */
function remove(copy: unknown, mistake: SchemaMistake): boolean {
  const [section, name, member] = mistake.path
  if (section === 'parameters' && (member === 'type' || mistake.rule === 'schema/missing-key')) {
    setAt(copy, ['parameters', name!, 'type'], 'string')
    return true
  }
  const value = memberOf(copy, mistake.path.slice(0, -1))?.[mistake.path.at(-1) ?? '']
  // Without it the parameter would be optional, and rules would report the consequences.
  if (section === 'parameters' && member === 'required' && /^(yes|true|on|1)$/i.test(String(value))) {
    setAt(copy, mistake.path, true)
    return false
  }
  const isRemovable = ['settings', 'tenant', 'description'].includes(String(section))
  if (mistake.rule === 'schema/unknown-key') setAt(copy, mistake.at ?? [], undefined)
  else if (isRemovable || (section === 'parameters' && member !== undefined)) setAt(copy, mistake.path, undefined)
  return false
}

/** Sets a member, or deletes it when `value` is undefined; does nothing where the path does not exist. */
function setAt(root: unknown, path: NodePath, value: unknown): void {
  const parent = memberOf(root, path.slice(0, -1))
  const last = path[path.length - 1]
  if (last === undefined || parent === null) return
  if (value === undefined) delete parent[last]
  else parent[last] = value
}

function memberOf(root: unknown, path: NodePath): Record<string | number, unknown> | null {
  let at = root
  for (const step of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, step)) return null
    at = (at as Record<string | number, unknown>)[step]
  }
  return at !== null && typeof at === 'object' ? (at as Record<string | number, unknown>) : null
}
