/** The two folders of endpoints that are compared: each is of a git revision, or a folder that the command names. */
import { statSync } from 'node:fs'
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { SetupError, UsageError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { Git, Revision } from './git.js'

/** A folder of endpoints, and the folders of schemas and functions beside it. */
type Folders = Pick<Settings, (typeof FOLDERS)[number]>

const FOLDERS = ['endpointsDir', 'tablesDir', 'functionsDir'] as const

export interface SideFolders {
  /** The name of the side: `main`, `the working tree`. */
  readonly title: string
  readonly folders: Folders
  /** A diagnostic that names files as the author knows them: `main:endpoints/a.yaml`. */
  localize(diagnostic: Diagnostic): Diagnostic
}

const same = (diagnostic: Diagnostic): Diagnostic => diagnostic

/** The working tree: the folders of the settings. */
export const workingTree = (folders: Folders): SideFolders => ({ title: 'the working tree', folders, localize: same })

export interface SideOptions {
  readonly git: Git
  /** The folder for the files of a revision; it need not exist. */
  readonly temporary: string
  /** Whether the command line names the folders of table schemas and of functions, which both sides then share. */
  readonly shared: { readonly tables: boolean; readonly functions: boolean }
}

/**
 * The side that a word of the command line means: a folder of endpoints, a folder that has them where the settings say, or a git
 * revision, whose files are written below `temporary`. @throws UsageError, SetupError
 */
export function findSide(word: string, settings: Folders, { git, temporary, shared }: SideOptions): SideFolders {
  const home = isFolder(settings.endpointsDir) ? settings.endpointsDir : '.'
  const isPath = isFolder(word)
  const revision = /^\.{0,2}[/\\]/.test(word) && isPath ? null : git.findRevision(word, home)
  if (isPath && revision !== null) {
    throw new UsageError([`"${word}" is a folder and a revision: write ./${word} for the folder`])
  }
  if (isPath) return folderSide(word, settings, shared)
  if (revision === null) throw new UsageError([unknownSide(word, home, git)])
  return revisionSide(word, revision, settings, temporary, git)
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

function unknownSide(word: string, home: string, git: Git): string {
  const repository = git.repositoryOf(home)
  const unknown = `there is no revision and no folder "${word}"`
  if (repository === null) return `${unknown}; ${resolve(home)} is in no git repository`
  return repository.isShallow ? `${unknown}; this clone is shallow: git fetch --unshallow gets the others` : unknown
}

/** The side of a folder, which holds the folder of endpoints, as a checkout does, or is the folder of endpoints itself. */
function folderSide(word: string, settings: Folders, shared: SideOptions['shared']): SideFolders {
  const endpoints = relative('.', settings.endpointsDir)
  const isCheckout = isBelow(endpoints) && isFolder(join(word, endpoints))
  // Schemas and functions are in the same place, relative to the endpoints, as in the settings.
  const besideEndpoints = (dir: string, isShared: boolean): string => {
    const folder = join(word, isCheckout ? relative('.', dir) : relative(settings.endpointsDir, dir))
    return !isShared && isFolder(folder) ? folder : dir
  }
  const folders = {
    endpointsDir: isCheckout ? join(word, endpoints) : word,
    tablesDir: besideEndpoints(settings.tablesDir, shared.tables),
    functionsDir: besideEndpoints(settings.functionsDir, shared.functions),
  }
  return { title: word, folders, localize: same }
}

function revisionSide(word: string, revision: Revision, settings: Folders, target: string, git: Git): SideFolders {
  const folders = { ...settings }
  for (const key of FOLDERS) {
    const path = pathInRepository(settings[key], revision, git)
    if (path === null && key === 'endpointsDir') {
      throw new SetupError(`${settings[key]} is not in the repository of "${word}": compare two folders instead`)
    }
    // Schemas and functions that are not in the repository are the same for every revision.
    if (path === null) continue
    folders[key] = join(target, path)
    git.extract(revision, path, folders[key])
  }
  const moved = FOLDERS.filter(key => folders[key] !== settings[key])
  const rename = (text: string): string =>
    moved.reduce((all, key) => all.replaceAll(folders[key], `${word}:${settings[key]}`), text)
  return {
    title: word,
    folders,
    localize: diagnostic => ({ ...diagnostic, file: rename(diagnostic.file), message: rename(diagnostic.message) }),
  }
}

/** The path of a folder, which the working tree need not have, from the root of the repository; null where it is outside. */
function pathInRepository(dir: string, { folder }: Revision, git: Git): string | null {
  let above = resolve(dir)
  while (!isFolder(above)) above = dirname(above)
  const [repository, home] = [git.repositoryOf(above), git.repositoryOf(folder)]
  if (repository === null || repository.root !== home?.root) return null
  const path = posix.join(repository.prefix, relative(above, resolve(dir)).split(sep).join('/'))
  return path === '.' ? '' : path.replace(/\/$/, '')
}

const isBelow = (path: string): boolean => path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
