/** Finds and reads manifests, partials and examples of results. */

import { readdirSync, readFile } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import { promisify } from 'node:util'
import type { Diagnostic } from '../model/diagnostic.js'
import { didYouMean } from '../model/suggest.js'
import { isExample } from './example-rows.js'
import { namesBelow } from './names-below.js'
import { diagnosticOf } from './report.js'
import { MAX_MANIFEST_LENGTH } from './yaml/limits.js'

export interface SourceText {
  /** The path as diagnostics show it. */
  readonly file: string
  readonly text: string
}

/** The folder of partials, below the folder of manifests. */
const PARTIALS_FOLDER = 'partials'
const READ_AT_ONCE = 32

/** Whether a path, relative to the folder of manifests and separated by `/`, is a manifest. */
export const isManifest = (name: string): boolean => name.endsWith('.yaml') && !name.endsWith('.test.yaml')
export const isPartial = (name: string): boolean => name.startsWith(`${PARTIALS_FOLDER}/`) && name.endsWith('.sql')

/**
 * Reads every `*.yaml` except `*.test.yaml` below `dir`, every `partials/*.sql` and every `*.example.json`, in the order of
 * their names. Files and folders whose names begin with a dot are skipped. `paths` are the paths of all files and folders;
 * `diagnostics` are about files that cannot be read.
 */
export async function discover(dir: string) {
  const diagnostics: Diagnostic[] = []
  let names: readonly string[]
  try {
    names = await namesBelow(dir)
  } catch (error) {
    const diagnostic = isMissing(error) ? noFolder(dir) : unreadable(dir, error)
    return { paths: [], manifests: [], partials: [], examples: [], diagnostics: [diagnostic] }
  }
  for (const name of names.filter(name => name.endsWith('.yml'))) {
    const message = 'files that end in .yml are not read; rename this one to .yaml'
    diagnostics.push(diagnosticOf(posixJoin(dir, name), 'manifest/file-name', message, { severity: 'warning' }))
  }
  const manifests = await readAll(dir, names.filter(isManifest), diagnostics)
  const partials = await readAll(dir, names.filter(isPartial), diagnostics)
  const examples = await readAll(dir, names.filter(isExample), diagnostics)
  return { paths: names.map(name => posixJoin(dir, name)), manifests, partials, examples, diagnostics }
}

const posixJoin = (dir: string, name: string): string => posix.join(dir.split(sep).join('/'), name)

/** The partials alone; those that cannot be read are left out. */
export async function discoverPartials(dir: string): Promise<readonly SourceText[]> {
  return readAll(dir, (await namesBelow(dir)).filter(isPartial), [])
}

/** Reads the files of one folder whose names are wanted, in the order of their names; a missing folder is empty. */
export async function readFolder(dir: string, isWanted: (name: string) => boolean, diagnostics: Diagnostic[]) {
  let names: readonly string[] = []
  try {
    names = (await readdir(dir)).filter(isWanted).sort()
  } catch (error) {
    if (!isMissing(error)) diagnostics.push(unreadable(dir, error))
  }
  return readAll(dir, names, diagnostics)
}

async function readAll(dir: string, names: readonly string[], diagnostics: Diagnostic[]) {
  const texts: (SourceText | null)[] = []
  for (let i = 0; i < names.length; i += READ_AT_ONCE) {
    const batch = names.slice(i, i + READ_AT_ONCE)
    texts.push(...(await Promise.all(batch.map(name => readOne(join(dir, name), posixJoin(dir, name), diagnostics)))))
  }
  return texts.filter(text => text !== null)
}

/** Takes a third of the time that `readFile` of `node:fs/promises` takes for a small file. */
const readBytes = promisify(readFile)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads one file as UTF-8; on failure returns null and adds a diagnostic. */
export async function readOne(path: string, file: string, diagnostics: Diagnostic[]): Promise<SourceText | null> {
  try {
    const stats = await stat(path)
    // Reading a pipe would block until a process writes to it.
    if (!stats.isFile() && !stats.isDirectory()) throw Object.assign(new TypeError('not a file'), { code: 'EINVAL' })
    const bytes = await readBytes(path)
    // A file that is too large is refused by its length alone, so only its beginning is decoded.
    return { file, text: decoder.decode(bytes.subarray(0, 4 * MAX_MANIFEST_LENGTH)) }
  } catch (error) {
    diagnostics.push(unreadable(file, error))
    return null
  }
}

/** The diagnostic for a served folder that no longer has any manifest. */
export const noneLeft = (dir: string): Diagnostic =>
  diagnosticOf(dir, 'manifest/none-left', 'no manifest is left here; those that were read before are still served')

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT'

/** The diagnostic for a folder of manifests that does not exist. */
function noFolder(dir: string): Diagnostic {
  const hint = nameBeside(dir) || '; --endpoints or SLUICE_ENDPOINTS names the folder, and `sluice init DIR` makes one'
  return diagnosticOf(dir, 'manifest/unreadable', `there is no such folder of manifests${hint}`)
}

/** The diagnostic for a path on the command line that does not exist, with the path that was probably meant. */
export const noSuchPath = (path: string, hint = nameBeside(path)): Diagnostic =>
  diagnosticOf(path, 'manifest/unreadable', `there is no such file or folder${hint}`)

/** `; did you mean "endpoints"?` from the names in the folder that would hold this path; '' where none is similar. */
function nameBeside(path: string): string {
  const folder = dirname(path)
  try {
    const paths = readdirSync(folder).map(name => join(folder, name))
    return didYouMean(path, paths).hint
  } catch {
    return ''
  }
}

/** The diagnostic for a file or folder that cannot be read. */
export function unreadable(file: string, error: unknown): Diagnostic {
  const code = (error as { code?: unknown }).code
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'permission is denied',
    EISDIR: 'it is a folder',
    EINVAL: 'it is not an ordinary file',
    ENOTDIR: 'it is not a folder',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not valid UTF-8',
  }
  const reason = reasons[String(code)] ?? String(code ?? error)
  return diagnosticOf(file, 'manifest/unreadable', `cannot be read: ${reason}`)
}
