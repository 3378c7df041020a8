/** The texts of a workspace: what the editor has open, otherwise what is on the disk. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { discover, readOne, type SourceText } from '../../runner/manifest/discover.js'
import { isFunctionFile } from '../../runner/manifest/functions/load.js'
import { isTableSchema } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { findTests } from '../test/files/load.js'
import { type FileKind, type Folders, kindOf } from './folders.js'

export class SourceTexts {
  readonly #folders: Folders
  #onDisk: ReadonlyMap<string, SourceText> = new Map()
  /** Open documents, saved or not. */
  readonly open = new Map<string, SourceText>()
  /** Files and folders that could not be read. */
  unreadable: readonly Diagnostic[] = []

  constructor(folders: Folders) {
    this.#folders = folders
  }

  /** Reads all files again. */
  async read(): Promise<void> {
    const { endpoints, tables, functions } = this.#folders
    const { manifests, partials, examples, diagnostics } = await discover(endpoints)
    const tests = await findTests([], endpoints)
    const unreadable = [...diagnostics]
    const readAll = async (folder: string, isWanted: (name: string) => boolean) => {
      const names = await readdir(folder).catch(() => [])
      const paths = names.filter(isWanted).map(name => join(folder, name))
      return Promise.all(paths.map(path => readOne(path, path, unreadable)))
    }
    const schemas = await readAll(tables, isTableSchema)
    const functionSources = await readAll(functions, isFunctionFile)
    const sources = [...manifests, ...partials, ...examples, ...tests.files, ...schemas, ...functionSources]
    this.#onDisk = new Map(sources.flatMap(source => (source === null ? [] : [[source.file, source]])))
    this.unreadable = unreadable
  }

  find(file: string): SourceText | undefined {
    return this.open.get(file) ?? this.#onDisk.get(file)
  }

  /** All files of one kind, in the order of their names. */
  all(kind: FileKind): readonly SourceText[] {
    const files = new Set([...this.#onDisk.keys(), ...this.open.keys()])
    return [...files]
      .filter(file => kindOf(file, this.#folders) === kind)
      .sort()
      .map(file => this.find(file)!)
  }

  /** The partial of this name. */
  partial(name: string): SourceText | undefined {
    return this.all('partial').find(({ file }) => basename(file, '.sql') === name)
  }
}
