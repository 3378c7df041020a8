/**
 * Opens data files, checks where an open file is, and gives DuckDB the open file. DuckDB alone would check the place of a path, and then
 * open the path: between the two, a process that can write into the folder could replace the file, or a folder above it, by a link to any
 * file of the machine.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileStamp } from '../../../model/file-stamp.js'
import { fileReason } from '../../../platform/write-failure.js'
import type { DataFile } from './data-folder.js'
import { LEADS_OUT, UnopenedFileError } from './file-fault.js'
import { copySteady, FileChangedError } from './steady-copy.js'
import { isNotThere } from './try-stat.js'

/** A file that is read in place. */
export interface OpenFile {
  /** The path under which DuckDB reads the open file. */
  readonly path: string
  /** The path of the file in the data folder, or as it was given. */
  readonly name: string
  /** Its state when it was opened. */
  readonly state: BigIntStats
  /** Null where DuckDB opens the file by its own name. */
  readonly handle: number | null
}

/** Linux has links to the process's open files in this folder: they lead to the open file, whatever its path refers to now. */
const HANDLE_LINKS = process.platform === 'linux' ? '/proc/self/fd' : null

/**
 * Opens a file for reading. With all links followed, it must be in one of the folders; null allows any folder.
 * @param wasThere whether the file was there when its folder was listed
 * @throws QueryFault for a file elsewhere, or one that cannot be read.
 */
function openChecked(path: string, folders: readonly string[] | null, wasThere: boolean): number {
  let handle: number
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    if (wasThere && isNotThere(cause)) throw new FileChangedError(path)
    throw new UnopenedFileError(path, `it cannot be read: ${fileReason(cause)}`, cause)
  }
  try {
    if (!fstatSync(handle).isFile()) throw new FileChangedError(path)
    if (folders !== null && !isWithin(placeOf(handle, path), folders)) throw new UnopenedFileError(path, LEADS_OUT)
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

/** The path of an open file with all links followed. @throws FileChangedError where the path refers to another file now. */
function placeOf(handle: number, path: string): string {
  if (HANDLE_LINKS !== null) return readlinkSync(`${HANDLE_LINKS}/${handle}`)
  const place = realpathSync.native(path)
  const [opened, atPath] = [fstatSync(handle), lstatSync(place)]
  if (opened.ino !== atPath.ino || opened.dev !== atPath.dev) throw new FileChangedError(path)
  return place
}

/** Whether the path is in one of the folders. Where a folder is a link, its target counts. */
const isWithin = (place: string, folders: readonly string[]): boolean =>
  folders.some(folder => existsSync(folder) && place.startsWith(`${realpathSync.native(folder)}/`))

export interface OpenFilesOptions {
  /** A folder that only the engine writes to, and DuckDB may read. */
  readonly ownFolder: string
  readonly dataDir: string | null
  /** The paths of the datasets' folders that may be read. */
  readonly datasets: readonly string[]
}

/** A file to open. */
export interface NamedFile {
  readonly path: string
  /** The stamp that the file must still have; null for any. */
  readonly stamp: string | null
  /** Whether the caller of the library gave the path: then it may lead anywhere. Other files must be in a dataset's folder. */
  readonly isGiven: boolean
}

/** The open files of tables. */
export class OpenFiles {
  readonly #options: OpenFilesOptions
  readonly #links: string
  readonly #copies: string
  readonly #openFiles = new Set<OpenFile>()
  /** One promise for each query that runs: it resolves when the query ends. */
  readonly #queries = new Set<Promise<void>>()
  #count = 0

  constructor(options: OpenFilesOptions) {
    this.#options = options
    this.#links = join(options.ownFolder, 'open')
    this.#copies = join(options.ownFolder, 'copies')
    for (const folder of [this.#links, this.#copies]) mkdirSync(folder, { recursive: true })
  }

  /** The folder that stands for the data folder in the paths of open files. */
  get root(): string {
    return HANDLE_LINKS === null ? this.#options.dataDir! : this.#links
  }

  /** Opens a file to read it in place. @throws QueryFault. */
  open({ path, stamp, isGiven }: NamedFile): OpenFile {
    const handle = this.#handleOf(path, isGiven, stamp !== null)
    const state = fstatSync(handle, { bigint: true })
    const hasChanged = stamp !== null && stamp !== fileStamp(state)
    const isByName = isGiven || HANDLE_LINKS === null
    if (hasChanged || isByName) closeSync(handle)
    if (hasChanged) throw new FileChangedError(path)
    if (isByName) return { path, name: path, state, handle: null }
    // The name contains the path, since DuckDB reads the keys of partitions and the suffixes of shards from it.
    const folder = join(this.#links, relative(this.#options.dataDir!, path))
    mkdirSync(folder, { recursive: true })
    const file = { path: join(folder, String(this.#count++)), name: path, state, handle }
    symlinkSync(`${HANDLE_LINKS}/${handle}`, file.path)
    this.#openFiles.add(file)
    return file
  }

  /** The path in the data folder of the file that DuckDB reads under this path. */
  nameOf(path: string): string {
    return [...this.#openFiles].find(file => file.path === path)?.name ?? path
  }

  /** The `name` of the first of these files that has changed since it was opened; null where none has. */
  changedOf(files: readonly OpenFile[]): string | null {
    const hasChanged = ({ name, state, handle }: OpenFile): boolean => {
      const now =
        handle === null ? statSync(name, { bigint: true, throwIfNoEntry: false }) : fstatSync(handle, { bigint: true })
      // If another file only took its path, an open file has not changed: queries go on reading it.
      return now?.ino !== state.ino || now.size !== state.size || now.mtimeNs !== state.mtimeNs
    }
    return files.find(hasChanged)?.name ?? null
  }

  /** Calls `use` with a copy of a text file in a folder of its own, and the size of the copy. @throws QueryFault. */
  withCopy<T>(file: DataFile, isGiven: boolean, use: (path: string, size: number) => Promise<T>): Promise<T> {
    return this.withPlace(async into => {
      const handle = this.#handleOf(file.path, isGiven, true)
      try {
        return await use(into, await copySteady(handle, file, into))
      } finally {
        closeSync(handle)
      }
    })
  }

  /** Calls `use` with the path for a copy in a folder of its own, which is removed afterwards. */
  async withPlace<T>(use: (path: string) => Promise<T>): Promise<T> {
    const folder = join(this.#copies, String(this.#count++))
    mkdirSync(folder)
    try {
      return await use(join(folder, 'copy'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Registers a query that may read open files. The returned function must be called when the query has ended. */
  begin(): () => void {
    let end = (): void => undefined
    const query = new Promise<void>(resolve => {
      end = resolve
    })
    this.#queries.add(query)
    return () => {
      this.#queries.delete(query)
      end()
    }
  }

  /** Calls `work` when all queries that run now have ended. */
  afterQueries(work: () => void): void {
    void Promise.all(this.#queries).then(work)
  }

  /**
   * Closes files when all queries that run now have ended. If a file were closed earlier, the system could reuse its number, and a query
   * would read another file.
   */
  close(files: Iterable<OpenFile>): void {
    for (const file of files) if (this.#openFiles.has(file)) this.afterQueries(() => this.#close(file))
  }

  #close(file: OpenFile): void {
    if (!this.#openFiles.delete(file)) return
    unlinkSync(file.path)
    closeSync(file.handle!)
  }

  #handleOf(path: string, isGiven: boolean, wasThere: boolean): number {
    const { dataDir, datasets } = this.#options
    if (isGiven) return openChecked(path, null, wasThere)
    const dataset = join(dataDir!, relative(dataDir!, path).split('/')[0]!)
    return openChecked(path, [dataset, ...datasets.filter(other => other !== dataset)], wasThere)
  }
}
