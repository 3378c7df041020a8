/**
 * Runs a page of the documents as its reader would: files that it shows are written, commands behind `$ ` run in one shell, and
 * what they print is compared with what the page shows. `…` stands for anything in a line, and alone in a line for any lines.
 *
 * `npx sluice` is a process of the built program for the first such command of a page, for servers, for what reads standard
 * input, and wherever the package is installed, as in the tutorial. Else it is the built program loaded once for the page
 * (test/cli/warm-program.ts): the same commands with the same streams and exit codes, without the start of Node.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { initFolder } from '../../authoring/write/init.js'
import { SILENT_IO } from '../../tools/silent-io.js'
import { openWarmProgram } from '../cli/warm-program.js'
import { freePort } from '../free-port.js'
import type { OwnRegistry } from '../package/own-registry.js'
import { type Block, type Page, readPage } from './page.js'

/** What is only read. All else is copied: a reader may write into it, and npm packs no links. */
const LINKED = ['node_modules', 'test']
const LEFT_OUT = ['.git', '.cache', 'data', 'coverage', 'bench/data']
/** Settings of npm and of the network, which npm needs to reach a registry and its own cache. */
const FOR_NPM = /^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$/i
const SHOWN_PORT = '8080'
/** For a command, or for a server until it is ready; a machine under load takes its time. */
const PATIENCE_MS = 400_000

export interface Checkout {
  readonly folder: string
  /** Writes the block's file into the folder that the shell is in. */
  write(block: Block): Promise<void>
  /** Runs a command that no page shows, such as one that goes to another folder. */
  enter(command: string): Promise<string>
  /** Runs the commands of a block; resolves to the block's text with what they really printed. */
  run(block: Block): Promise<string>
  close(): Promise<void>
}

/** A fresh clone that is built, in a folder of its own, with one shell in it. */
export function openCheckout(): Promise<Checkout> {
  const root = newRoot()
  const folder = join(root, 'sluice')
  mkdirSync(folder)
  const filter = (path: string): boolean => !LEFT_OUT.includes(path)
  for (const name of readdirSync('.').filter(filter)) {
    if (LINKED.includes(name)) symlinkSync(resolve(name), join(folder, name))
    else cpSync(name, join(folder, name), { recursive: true, preserveTimestamps: true, filter })
  }
  return openFolder(root, folder, folder)
}

/** An empty folder, in which npm has the registry that this test published the package to. */
export function openEmptyFolder({ npm }: OwnRegistry): Promise<Checkout> {
  const root = newRoot()
  return openFolder(root, root, resolve('.'), npm)
}

/** The folder that the tutorial makes, with its files, without npm: `sluice` there is this checkout's, which is not copied. */
export async function openTutorialFolder(): Promise<Checkout> {
  const root = newRoot()
  const folder = join(root, 'my-api')
  mkdirSync(folder)
  const opened = await openFolder(root, folder, resolve('.'))
  await initFolder(folder, SILENT_IO)
  for (const block of readPage('docs/tutorial.md').blocks) if (block.path !== null) await opened.write(block)
  return opened
}

/** Its name has a space, as a reader's folder may. */
const newRoot = (): string => mkdtempSync(join(realpathSync(tmpdir()), 'sluice docs-'))

/** One shell in a folder; `clone` has the program and the packages. `npm` is how npm is set up. */
async function openFolder(root: string, folder: string, clone: string, npm = npmOfUser()): Promise<Checkout> {
  const programs = join(root, 'bin')
  mkdirSync(programs)
  // npm's own takes a second to find a program: the folder's own, else that of the clone.
  const program = join(clone, 'dist/cli/main.js')
  const installed = 'node_modules/sluice/dist/cli/main.js'
  const warm = await openWarmProgram(join(root, 'program.sock'))
  // A reader installs these for a program in TypeScript; here they are the clone's own.
  const packages = join(clone, 'node_modules')
  const tools = [
    `[ "$1" = tsx ] && { shift; exec '${process.execPath}' '${packages}/tsx/dist/cli.mjs' "$@"; }`,
    `[ "$1" = tsc ] && { shift; exec '${process.execPath}' '${packages}/typescript/bin/tsc' --typeRoots '${packages}/@types' --types node "$@"; }`,
  ].join('\n')
  writeProgram(
    join(programs, 'npx'),
    [
      tools,
      // It fetches a package, as a reader does who has none.
      `[ "$1" = --yes ] && { ${realProgram('npx', npm)}; }`,
      'shift',
      `[ -f ${installed} ] && exec '${process.execPath}' ${installed} "$@"`,
      `if [ "$1" = serve ] || [ ! /dev/stdin -ef /dev/null ] || mkdir '${join(programs, 'first')}' 2>/dev/null; then`,
      `  exec '${process.execPath}' '${program}' "$@"`,
      'fi',
      warm.script,
    ].join('\n'),
  )
  writeProgram(join(programs, 'npm'), npmScript(npm))
  // As in a terminal, where curl shows no progress beside what it prints.
  writeFileSync(join(root, '.curlrc'), 'silent\nshow-error\n')
  const port = await freePort()
  const env = {
    HOME: root,
    PATH: `${programs}:${dirname(process.execPath)}:${process.env['PATH']}`,
    TMPDIR: root,
    PORT: String(port),
    SLUICE_ENGINE_MEMORY: '1024',
    SLUICE_ENGINE_THREADS: '1',
  }
  const shell = openShell(folder, env)
  const servers: ChildProcess[] = []

  async function print(command: string, words: readonly string[], expected: string): Promise<string> {
    const asked = command.replaceAll(`:${SHOWN_PORT}`, `:${port}`)
    const printed = words.includes('server')
      ? await startServer(asked, await shell.run('pwd'), env, servers, expected)
      : await shell.run(asked)
    return printed.replaceAll(`:${port}`, `:${SHOWN_PORT}`).replaceAll('\r', '').trimEnd()
  }

  return {
    folder,
    async write({ path, text }) {
      const file = join((await shell.run('pwd')).trim(), path!)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text.replaceAll(`:${SHOWN_PORT}`, `:${port}`))
    },
    enter: command => shell.run(command),
    async run(block) {
      const lines: string[] = []
      for (const { command, expected } of commandsOf(block.text)) {
        const printed = await print(command, block.words, expected)
        lines.push(`$ ${command}`, ...(matches(expected, printed) ? [expected] : [printed]).filter(text => text !== ''))
      }
      return `${lines.join('\n')}\n`
    },
    async close() {
      await Promise.all([...servers.map(endGroup), shell.close()])
      warm.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const writeProgram = (file: string, script: string): void =>
  writeFileSync(file, `#!/bin/bash\n${script}\n`, { mode: 0o755 })

/** npm as the tests' own user has set it up. */
function npmOfUser(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => FOR_NPM.test(name) && !/[^\w]/.test(name))
  return {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    ...(Object.fromEntries(own) as Record<string, string>),
  }
}

/**
 * Nothing is built again, since other tests run dist/ at the same time, and nothing is installed over the packages of the clone,
 * which are only linked.
 */
const npmScript = (npm: Readonly<Record<string, string>>): string =>
  [`[ "$1" = ci ] && { echo 'run make build first' >&2; exit 1; }`, realProgram('npm', npm)].join('\n')

/** Lines of bash that run a program of npm's instead of this script. */
function realProgram(name: string, npm: Readonly<Record<string, string>>): string {
  const settings = {
    ...npm,
    npm_config_ignore_scripts: 'true',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
  }
  return [
    ...Object.entries(settings).map(([setting, value]) => `export ${setting}='${value.replaceAll("'", `'\\''`)}'`),
    `PATH="$(dirname '${process.execPath}'):$PATH"`,
    "IFS='\n'",
    `for one in $(which -a ${name}); do [ "$one" = "$0" ] || exec "$one" "$@"; done`,
  ].join('\n')
}

/** Commands begin with `$ `; a line that ends with a backslash goes on in the next. */
function commandsOf(text: string): readonly { readonly command: string; readonly expected: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const [, command = '', expected = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part)!
      return { command, expected: expected.trimEnd() }
    })
}

/** Whether this was printed, with what `…` stands for. */
function matches(expected: string, printed: string): boolean {
  const pattern = `${expected}\n`
    .split('\n')
    .slice(0, -1)
    .map(line => (line === '…' ? '(?:.*\n)*?' : `${line.split(/… */).map(quote).join('.*')}\n`))
    .join('')
  return new RegExp(`^${pattern}$`).test(`${printed}\n`)
}

const quote = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Starts a command that goes on running; resolves to what it printed once it printed a line that begins as the last expected one. */
function startServer(
  command: string,
  folder: string,
  env: Readonly<Record<string, string>>,
  servers: ChildProcess[],
  expected: string,
): Promise<string> {
  const child = spawn('bash', ['-c', `exec 2>/dev/null; ${command}`], { cwd: folder.trim(), env, detached: true })
  servers.push(child)
  const last = expected.split('\n').at(-1)!.split(' ')[0] || 'ready'
  let printed = ''
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new TypeError(`"${command}" was not ready: ${printed}`)), PATIENCE_MS)
    const finish = (): void => {
      clearTimeout(timer)
      done(printed)
    }
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (new RegExp(`^${quote(last)}.*\n`, 'm').test(printed)) finish()
    })
    child.once('exit', finish)
  })
}

/** Ends a process with all that it started. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  await ended
}

interface Shell {
  /** What the command printed, errors too. */
  run(command: string): Promise<string>
  close(): Promise<void>
}

/** One bash, so that variables and the folder hold from one command to the next. */
function openShell(folder: string, env: Readonly<Record<string, string>>): Shell {
  const END = '--- end of the command ---'
  const child = spawn('bash', ['--norc'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] })
  let printed = ''
  let heard: () => void = () => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    heard()
  })
  child.stdin.write('exec 2>&1\n')
  return {
    run(command) {
      printed = ''
      return new Promise((done, fail) => {
        const timer = setTimeout(() => fail(new TypeError(`"${command}" did not end: ${printed}`)), PATIENCE_MS)
        heard = () => {
          const end = printed.indexOf(`\n${END}\n`)
          if (end < 0) return
          clearTimeout(timer)
          done(printed.slice(0, end))
        }
        child.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\n%s\\n' '${END}'\n`)
      })
    },
    close() {
      const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
      child.stdin.end()
      return ended
    },
  }
}

/** Whether the page is one to run. */
export const isRun = (page: Page): boolean => page.blocks.some(block => block.language === 'console')
