/**
 * Reads the access rules of the manifests in a folder (names, tenants, pinned parameters), without tables, engines and SQL.
 */

import { checkRules, MANIFEST_RULES } from '../../runner/manifest/check/rules.js'
import { findSchemaMistakes } from '../../runner/manifest/check/schema.js'
import { compileParameter } from '../../runner/manifest/constraints.js'
import { discover, type SourceText } from '../../runner/manifest/discover.js'
import { tenantParameter } from '../../runner/manifest/tenant.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import type { Manifest } from '../../runner/model/manifest.js'
import type { Access } from '../../runner/request/authorize.js'

export type FolderAccess = NonNullable<Awaited<ReturnType<typeof readAccess>>>

/** Null where the folder does not exist or cannot be read; `broken` is the number of manifests with errors, whose rules are unknown. */
export async function readAccess(dir: string) {
  const { paths, manifests, diagnostics } = await discover(dir)
  if (paths.length === 0 && diagnostics.length > 0) return null
  const endpoints = manifests.map(accessOf).filter(access => access !== null)
  return { endpoints, broken: manifests.length - endpoints.length }
}

function accessOf({ file, text }: SourceText): Access | null {
  const { source, value, diagnostics } = parseManifest(file, text)
  if (source === null || diagnostics.length > 0 || findSchemaMistakes(value).length > 0) return null
  const manifest = value as Manifest
  const mistakes = checkRules(MANIFEST_RULES, { manifest, source })
  if (mistakes.some(({ severity }) => severity === 'error')) return null
  const { name, parameters = {} } = manifest
  return {
    name,
    tenant: tenantParameter(manifest),
    parameters: Object.entries(parameters).map(([key, parameter]) => compileParameter(key, parameter)),
  }
}
