/** The rename of a parameter: its uses, or why it cannot be renamed. */
import { relative } from 'node:path'
import type { DocumentView } from '../document-view.js'
import { type ParameterUse, sharedPartial, usesIn } from './parameter-uses.js'

const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/

/** All places that get the new name, or a text that says why the parameter cannot be renamed. */
export function renamedUses(view: DocumentView, name: string, newName: string): readonly ParameterUse[] | string {
  const { workspace } = view
  const manifest = view.manifest!
  if (!PARAMETER_NAME.test(newName)) {
    return `a parameter's name is a letter, then letters, digits and _: ${newName}`
  }
  const declared = Object.keys(manifest.names.parameters).filter(parameter => parameter !== name)
  const taken = [...declared, 'now'].find(declaredName => declaredName.toLowerCase() === newName.toLowerCase())
  if (taken !== undefined) return `the name ${taken} is taken`
  const shared = sharedPartial(workspace, manifest, name)
  if (shared === null) return usesIn(workspace, manifest, name)
  const path = relative(workspace.folders.root, shared)
  return `${path} reads @${name} for other manifests too; rename the parameter by hand`
}
