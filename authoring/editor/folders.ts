/** Where a workspace has its endpoints, table schemas, functions and data, and which kind of file a path names. */
import { join, sep } from 'node:path'
import { isManifest, isPartial } from '../../runner/manifest/discover.js'
import { isExample } from '../../runner/manifest/example-rows.js'
import { isFunctionFile } from '../../runner/manifest/functions/load.js'
import { isTableSchema } from '../../runner/manifest/tables/load.js'
import { TEST_ENDING } from '../test/files/load.js'

export type Folders = ReturnType<typeof foldersOf>

/** The folders below a root, as settings name them: relative to the root, or absolute. */
export type FolderNames = Readonly<Record<'endpoints' | 'tables' | 'functions' | 'data', string>>

export type FileKind = 'manifest' | 'partial' | 'tests' | 'example' | 'table' | 'function'

/** Absolute paths; `root` is the folder that the editor has open, and messages name files relative to it. */
export function foldersOf(root: string, names: FolderNames) {
  const absolute = (name: string): string => (name.startsWith(sep) ? name : join(root, name))
  return {
    root,
    endpoints: absolute(names.endpoints),
    tables: absolute(names.tables),
    functions: absolute(names.functions),
    data: absolute(names.data),
  }
}

/** The kind of a file; null for a file that Sluice does not read. */
export function kindOf(file: string, { endpoints, tables, functions }: Folders): FileKind | null {
  const schemaPath = nameBelow(tables, file)
  if (schemaPath !== null && isTableSchema(schemaPath)) return 'table'
  const functionPath = nameBelow(functions, file)
  if (functionPath !== null && isFunctionFile(functionPath)) return 'function'
  const name = nameBelow(endpoints, file)
  if (name === null || name.split('/').some(part => part.startsWith('.'))) return null
  if (name.endsWith(TEST_ENDING)) return 'tests'
  if (isManifest(name)) return 'manifest'
  if (isPartial(name)) return 'partial'
  return isExample(name) ? 'example' : null
}

/** The path below a folder, separated by `/`; null for a file outside it. */
function nameBelow(folder: string, file: string): string | null {
  const prefix = folder.endsWith(sep) ? folder : folder + sep
  return file.startsWith(prefix) ? file.slice(prefix.length).split(sep).join('/') : null
}
