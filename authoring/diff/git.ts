/** Reads files of a git revision into a folder, without touching the working tree or the index. */
import { spawn } from 'node:child_process'
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
  async findRevision(name: string, folder: string): Promise<Revision | null> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const { code, out } = await this.#run(folder, args)
    return code === 0 ? { folder, commit: out.toString().trim() } : null
  }

  /**
   * The repository of a folder: its root, the path of the folder from there ('' for the root itself, else with a `/` at its end),
   * and whether it has only the newest commits. Null where the folder is in none.
   */
  async repositoryOf(folder: string) {
    const args = ['rev-parse', '--is-shallow-repository', '--show-toplevel', '--show-prefix']
    const { code, out } = await this.#run(folder, args)
    const [isShallow, root = '', prefix = ''] = out.toString().split('\n')
    return code === 0 ? { root, prefix, isShallow: isShallow === 'true' } : null
  }

  /**
   * Writes the files below `path` (from the root of the repository, '' for all of it) into `target`, which is made. Links to files
   * are followed as far as they stay in the repository; names that begin with a dot are skipped.
   */
  async extract({ folder, commit }: Revision, path: string, target: string): Promise<void> {
    mkdirSync(target, { recursive: true })
    const prefix = path === '' || path.endsWith('/') ? path : `${path}/`
    // A path to nothing in this revision lists nothing.
    const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', prefix || '.']
    const listed = succeeded(await this.#run(folder, args))
    const names = listed
      .toString()
      .split('\0')
      .filter(name => name.startsWith(prefix) && name !== prefix && !/(?:^|\/)\./.test(name.slice(prefix.length)))
      // A line break would end the name on the input of cat-file.
      .filter(name => !name.includes('\n'))
    const input = names.map(name => `${commit}:${name}\n`).join('')
    const answer = succeeded(await this.#run(folder, ['cat-file', '--batch', '--follow-symlinks'], input))
    for (const [i, bytes] of objectsIn(answer).entries()) {
      if (bytes !== null) write(join(target, names[i]!.slice(prefix.length)), bytes)
    }
  }

  #run(folder: string, args: readonly string[], input = ''): Promise<Finished> {
    return runGit(['-C', folder, ...args], this.#environment, input)
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

type Finished = Awaited<ReturnType<typeof runGit>>

function succeeded({ code, out, err }: Finished): Buffer {
  if (code === 0) return out
  throw new SetupError(`git failed: ${err.trim() || `it ended with ${code}`}`)
}

function runGit(args: readonly string[], env: Environment, input: string) {
  return new Promise<{ code: number | null; out: Buffer; err: string }>((resolve, reject) => {
    const child = spawn('git', args, { stdio: ['pipe', 'pipe', 'pipe'], env })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => out.push(part))
    child.stderr.on('data', (part: Buffer) => err.push(part))
    child.once('error', cause => reject(new SetupError(`git cannot be run: ${cause.message}`, { cause })))
    child.once('close', code => resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err).toString() }))
    // git may end before it has read all of its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
