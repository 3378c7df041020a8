/** What there is below a folder, without a look at each file: a link alone has to be asked what it leads to. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Deeper folders are those of a link that leads back to where it is. */
const MAX_DEPTH = 40

/**
 * Names of files and folders from `root` on, with `/` between, sorted; links to folders are gone into. What editors, version
 * control and mounts (`..data`) keep under names that begin with a dot is left out. Rejects when a folder cannot be read.
 */
export async function namesBelow(root: string): Promise<readonly string[]> {
  const names: string[] = []
  const waiting = [{ folder: '', depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { folder, depth } = next
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      names.push(name)
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(root, name))))
      if (isFolder && depth < MAX_DEPTH) waiting.push({ folder: name, depth: depth + 1 })
    }
  }
  return names.sort()
}

async function leadsToFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false // whoever reads it says why it cannot be
  }
}
