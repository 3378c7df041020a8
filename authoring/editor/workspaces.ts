/** All workspaces of one editor: the folders that it has open, and the folders around open files outside them. */
import { dirname, join, sep } from 'node:path'
import { type FolderNames, foldersOf, kindOf } from './folders.js'
import { Workspace, type WorkspaceDeps } from './workspace.js'

/** A file that one of the workspaces reads. */
export type OwnedFile = NonNullable<ReturnType<Workspaces['owner']>>

export class Workspaces {
  readonly #deps: Omit<WorkspaceDeps, 'folders'>
  readonly #byRoot = new Map<string, Workspace>()
  /** The names of the folders in each workspace. */
  names: FolderNames

  constructor(deps: Omit<WorkspaceDeps, 'folders'>) {
    const { endpointsDir: endpoints, tablesDir: tables, functionsDir: functions, dataDir: data } = deps.settings
    this.names = { endpoints, tables, functions, data }
    this.#deps = deps
  }

  add(root: string): void {
    if (this.#byRoot.has(root)) return
    const workspace = new Workspace({ ...this.#deps, folders: foldersOf(root, this.names) })
    this.#byRoot.set(root, workspace)
    workspace.rescan()
  }

  async remove(root: string): Promise<void> {
    const workspace = this.#byRoot.get(root)
    this.#byRoot.delete(root)
    workspace?.publisher.clear()
    await workspace?.close()
  }

  /** Changes the names of the folders, and reads everything again where they differ. */
  async rename(names: FolderNames): Promise<void> {
    if (JSON.stringify(names) === JSON.stringify(this.names)) return
    const roots = [...this.#byRoot.keys()]
    await this.close()
    this.names = names
    for (const root of roots) this.add(root)
  }

  /** The workspace that reads the file; null for a file that Sluice does not read. */
  owner(file: string) {
    for (const workspace of this.#byRoot.values()) {
      const kind = kindOf(file, workspace.folders)
      if (kind !== null) return { workspace, file, kind }
    }
    return null
  }

  /** Like `owner`, but makes a workspace of the folder around the file if no workspace reads the file yet. */
  ownerOrNew(file: string): OwnedFile | null {
    const root = this.owner(file) === null ? this.#rootAround(file) : null
    if (root !== null) this.add(root)
    return this.owner(file)
  }

  all(): readonly Workspace[] {
    return [...this.#byRoot.values()]
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRoot.keys()].map(root => this.remove(root)))
  }

  /** The nearest folder that has the file in its folder of endpoints or table schemas. */
  #rootAround(file: string): string | null {
    for (let root = dirname(file); root !== dirname(root); root = dirname(root)) {
      const folders = foldersOf(root, this.names)
      const isBelow = [folders.endpoints, folders.tables].some(folder => folder.startsWith(join(root, sep)))
      if (isBelow && kindOf(file, folders) !== null) return root
    }
    return null
  }
}
