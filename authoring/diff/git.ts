/** Reads files of a git revision into a folder, without touching the working tree or the index. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from '../../runner/model/errors.js'

/** A commit of the repository that a folder belongs to. */
export interface Revision {
  /** The folder in which git runs. */
  readonly folder: string
  /** The hash of the commit. */
  readonly commit: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that git sets for its hooks. With them, git would read another repository or index than the folder's own. */
const HOOK_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
]

/** Each method throws a SetupError where git cannot be run. */
export class Git {
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = Object.fromEntries(
      Object.entries(environment).filter(([name]) => !HOOK_VARIABLES.includes(name)),
    )
  }

  /** Null where there is no such revision, or no repository. */
  findRevision(name: string, folder: string): Revision | null {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const { status, stdout } = this.#run(folder, args)
    return status === 0 ? { folder, commit: stdout.toString().trim() } : null
  }

  /**
   * The repository of a folder: its root, the path of the folder from there ('' for the root itself, else with a `/` at its end),
   * and whether it has only the newest commits. Null where the folder is in none.
   */
  repositoryOf(folder: string) {
    const args = ['rev-parse', '--is-shallow-repository', '--show-toplevel', '--show-prefix']
    const { status, stdout } = this.#run(folder, args)
    const [isShallow, root = '', prefix = ''] = stdout.toString().split('\n')
    return status === 0 ? { root, prefix, isShallow: isShallow === 'true' } : null
  }

  /**
   * Writes the files below `path` (from the root of the repository, '' for all of it) into `target`, which is made. Links to files
   * are followed as far as they stay in the repository; names that begin with a dot are skipped.
   */
  extract({ folder, commit }: Revision, path: string, target: string): void {
    mkdirSync(target, { recursive: true })
    const prefix = path === '' || path.endsWith('/') ? path : `${path}/`
    // A path to nothing in this revision lists nothing.
    const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', prefix || '.']
    const names = this.#output(folder, args)
      .toString()
      .split('\0')
      .filter(name => name.startsWith(prefix) && name !== prefix && !/(?:^|\/)\./.test(name.slice(prefix.length)))
      // A line break would end the name on the input of cat-file.
      .filter(name => !name.includes('\n'))
    const input = names.map(name => `${commit}:${name}\n`).join('')
    const answer = this.#output(folder, ['cat-file', '--batch', '--follow-symlinks'], input)
    for (const [i, bytes] of objectsIn(answer).entries()) {
      if (bytes !== null) write(join(target, names[i]!.slice(prefix.length)), bytes)
    }
  }

  #output(folder: string, args: readonly string[], input = ''): Buffer {
    const { status, stdout, stderr } = this.#run(folder, args, input)
    if (status === 0) return stdout
    throw new SetupError(`git failed: ${stderr.toString().trim() || `it ended with ${status}`}`)
  }

  #run(folder: string, args: readonly string[], input = '') {
    const options = { env: this.#environment, input, maxBuffer: Number.POSITIVE_INFINITY }
    const finished = spawnSync('git', ['-C', folder, ...args], options)
    // An error with a status says that git has ended before it has read all of its input.
    const { error, status } = finished
    if (error && status === null) throw new SetupError(`git cannot be run: ${error.message}`, { cause: error })
    return finished
  }
}

/** The objects of an answer of `git cat-file --batch`; null for a link out of the repository or to a folder. */
function objectsIn(answer: Buffer): readonly (Buffer | null)[] {
  const objects: (Buffer | null)[] = []
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf('\n', at)
    const [, kind, size] = /^(?:[0-9a-f]{40,64} )?(\w+) (\d+)$/.exec(answer.subarray(at, end).toString()) ?? []
    at = end + 1
    objects.push(kind === 'blob' ? answer.subarray(at, at + Number(size)) : null)
    if (size !== undefined) at += Number(size) + 1
  }
  return objects
}

function write(file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}
