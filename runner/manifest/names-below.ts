/** Lists a folder recursively without a `stat` of each file; only symbolic links need one. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The deepest folder that is read; deeper ones come from a link that leads back to a folder above it. */
const MAX_DEPTH = 40

/**
 * The sorted paths of files and folders below `root`, separated by `/`. Links to folders are followed. Names that begin with
 * a dot are skipped: editors, version control and mounts (`..data`) use them. Rejects when a folder cannot be read.
 */
export async function namesBelow(root: string): Promise<readonly string[]> {
  const names: string[] = []
  const folders = [{ folder: '', depth: 0 }]
  for (let next = folders.pop(); next; next = folders.pop()) {
    const { folder, depth } = next
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      names.push(name)
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(root, name))))
      if (isFolder && depth < MAX_DEPTH) folders.push({ folder: name, depth: depth + 1 })
    }
  }
  return names.sort()
}

async function leadsToFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false // Reading the file will report the error.
  }
}
