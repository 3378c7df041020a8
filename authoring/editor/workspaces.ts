/** All workspaces of one editor: its folders, and the folders around files that are outside of them. */
import { dirname, join, sep } from 'node:path'
import type { Diagnostic as ShownDiagnostic } from 'vscode-languageserver'
import { type FileKind, type FolderNames, foldersOf, kindOf } from './folders.js'
import { Published } from './published.js'
import { Workspace, type WorkspaceDeps } from './workspace.js'

export interface WorkspacesDeps extends Pick<WorkspaceDeps, 'openChecker' | 'tellFailure'> {
  readonly send: (file: string, diagnostics: readonly ShownDiagnostic[]) => void
  /** The files that are open. */
  readonly openFiles: () => readonly string[]
}

interface Member {
  readonly workspace: Workspace
  readonly published: Published
}

/** A file that one of the workspaces reads. */
export interface OwnedFile extends Member {
  readonly kind: FileKind
}

export class Workspaces {
  readonly #deps: WorkspacesDeps
  readonly #byRoot = new Map<string, Member>()
  #names: FolderNames

  constructor(names: FolderNames, deps: WorkspacesDeps) {
    this.#names = names
    this.#deps = deps
  }

  add(root: string): Member {
    const known = this.#byRoot.get(root)
    if (known) return known
    const { send, openFiles, openChecker, tellFailure } = this.#deps
    const folders = foldersOf(root, this.#names)
    const published = new Published({
      root,
      textOf: file => workspace.texts.find(file)?.text ?? '',
      openFiles: () => openFiles().filter(file => kindOf(file, folders) !== null),
      send,
    })
    const publish: WorkspaceDeps['publish'] = (diagnostics, checked) => published.update(diagnostics, checked)
    const workspace = new Workspace({ folders, openChecker, tellFailure, publish })
    this.#byRoot.set(root, { workspace, published })
    workspace.rescan()
    return { workspace, published }
  }

  async remove(root: string): Promise<void> {
    const member = this.#byRoot.get(root)
    this.#byRoot.delete(root)
    member?.published.clear()
    await member?.workspace.close()
  }

  /** Changes the names of the folders, and reads everything again where they differ. */
  async rename(names: FolderNames): Promise<void> {
    if (JSON.stringify(names) === JSON.stringify(this.#names)) return
    const roots = [...this.#byRoot.keys()]
    await this.close()
    this.#names = names
    for (const root of roots) this.add(root)
  }

  /** The workspace that reads the file; null for a file that Sluice does not read. */
  owner(file: string): OwnedFile | null {
    for (const member of this.#byRoot.values()) {
      const kind = kindOf(file, member.workspace.folders)
      if (kind !== null) return { ...member, kind }
    }
    return null
  }

  /** Like `owner`, but makes a workspace of the folder around the file where none reads it yet. */
  ownerOrNew(file: string): OwnedFile | null {
    const root = this.owner(file) === null ? this.#rootAround(file) : null
    if (root !== null) this.add(root)
    return this.owner(file)
  }

  all(): readonly Workspace[] {
    return [...this.#byRoot.values()].map(({ workspace }) => workspace)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRoot.keys()].map(root => this.remove(root)))
  }

  /** The nearest folder that has the file in its folder of endpoints or table schemas. */
  #rootAround(file: string): string | null {
    for (let root = dirname(file); root !== dirname(root); root = dirname(root)) {
      const folders = foldersOf(root, this.#names)
      const isBelow = [folders.endpoints, folders.tables].some(folder => folder.startsWith(join(root, sep)))
      if (isBelow && kindOf(file, folders) !== null) return root
    }
    return null
  }
}
