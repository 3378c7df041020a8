/** Reads files of a git revision into a folder, without touching the working tree or the index. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SetupError } from '../../runner/model/errors.js'

/** The hash of a commit, and the folder in which git finds it. */
export type Revision = NonNullable<ReturnType<Git['findRevision']>>

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that git sets for its hooks. With them, git would read another repository than the folder's own. */
const HOOK_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_PREFIX', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY']

/** Large files of Git LFS stay pointers: fetching them needs the server of Git LFS, and no comparison reads them. */
const WITHOUT_LFS = ['process=', 'smudge=', 'required=false'].flatMap(setting => ['-c', `filter.lfs.${setting}`])

/** Each method throws a SetupError where git cannot be run. */
export class Git {
  readonly #environment: Environment

  /** @param index the file in which git lists the files of a revision, so that the repository's own index stays as it is */
  constructor(environment: Environment, index: string) {
    const variables = Object.entries(environment).filter(([name]) => !HOOK_VARIABLES.includes(name))
    this.#environment = { ...Object.fromEntries(variables), GIT_INDEX_FILE: index }
  }

  /** Null where there is no such revision, or no repository. */
  findRevision(name: string, folder: string) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const { status, stdout } = this.#run(folder, args)
    return status === 0 ? { folder, commit: stdout.toString().trim() } : null
  }

  /**
   * The repository of a folder: its root, the path of the folder from there ('' for the root itself, else with a `/` at its end),
   * and whether it has only the newest commits. Null where the folder is in no repository.
   */
  repositoryOf(folder: string) {
    const args = ['rev-parse', '--is-shallow-repository', '--show-toplevel', '--show-prefix']
    const { status, stdout } = this.#run(folder, args)
    const [isShallow, root = '', prefix = ''] = stdout.toString().split('\n')
    return status === 0 ? { root, prefix, isShallow: isShallow === 'true' } : null
  }

  /**
   * Writes the files below `path` (from the root of the repository, '' for all of it) into `target`, as a checkout would, or
   * nothing where the commit has no such folder. Links to files are followed as far as they stay in the repository.
   */
  extract({ folder, commit }: Revision, path: string, target: string): void {
    mkdirSync(target, { recursive: true })
    const tree = `${commit}:${path}`
    if (this.#run(folder, ['rev-parse', '--verify', '--quiet', tree]).status !== 0) return
    // From within a folder, git would take the files of that folder alone.
    const { root } = this.repositoryOf(folder)!
    this.#mustRun(root, ['read-tree', tree])
    this.#mustRun(root, [...WITHOUT_LFS, 'checkout-index', '--all', '--force', `--prefix=${target}/`])
    this.#followLinks(root, name => `${commit}:${posix.join(path, name)}`, target)
  }

  /** Replaces each link by the file that it leads to in the commit: the link itself would lead to the working tree, or nowhere. */
  #followLinks(root: string, objectOf: (name: string) => string, target: string): void {
    for (const entry of this.#run(root, ['ls-files', '--stage', '-z']).stdout.toString().split('\0')) {
      if (!entry.startsWith('120000 ')) continue
      const name = entry.slice(entry.indexOf('\t') + 1)
      const { stdout } = this.#run(root, ['cat-file', '--batch', '--follow-symlinks'], `${objectOf(name)}\n`)
      const head = stdout.indexOf('\n')
      const [, kind] = /^[0-9a-f]{40,64} (\w+) \d+$/.exec(stdout.toString('utf8', 0, head)) ?? []
      if (kind === 'tree') continue
      const file = join(target, name)
      rmSync(file)
      if (kind === 'blob') writeFileSync(file, stdout.subarray(head + 1, -1))
    }
  }

  #mustRun(folder: string, args: readonly string[]): void {
    const { status, stderr } = this.#run(folder, args)
    if (status !== 0) throw new SetupError(`git failed: ${stderr.toString().trim() || `it ended with ${status}`}`)
  }

  #run(folder: string, args: readonly string[], input = '') {
    const options = { env: this.#environment, input, maxBuffer: Number.POSITIVE_INFINITY }
    const finished = spawnSync('git', ['-C', folder, ...args], options)
    if (finished.error) {
      throw new SetupError(`git cannot be run: ${finished.error.message}`, { cause: finished.error })
    }
    return finished
  }
}
