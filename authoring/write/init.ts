/** `sluice init DIR`: makes a folder with an endpoint that answers, from the package's templates. */
import { randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownPackage } from '../../runner/platform/own-package.js'
import { EXIT, type Io } from '../terminal/io.js'
import { shellWord } from '../terminal/shell-word.js'
import { dependencyOnSluice, installedFrom } from './installed-from.js'
import { cannotWrite, type NewFile, writeFiles } from './write-files.js'

/** Overwrites no file: if one of the files exists already, it names that file, writes nothing and resolves to 1. */
export async function initFolder(dir: string, io: Io): Promise<number> {
  const folder = resolve(dir)
  const root = dirname(fileURLToPath(import.meta.resolve('#package')))
  const files = newFiles(join(root, 'templates', 'init'), folder, {
    NAME: packageName(folder),
    PACKAGE: ownPackage().name,
    SLUICE: JSON.stringify(installedFrom(root, folder)).slice(1, -1),
    ID: randomUUID(),
  })
  // Where Sluice was installed into this very folder, npm has written the package.json that is needed.
  const keptFiles = files.filter(
    ({ path }) => path === join(folder, 'package.json') && dependencyOnSluice(path) !== undefined,
  )
  const filesToWrite = files.filter(file => !keptFiles.includes(file))
  const obstacles = [...new Set(filesToWrite.flatMap(({ path }) => obstacle(folder, path) ?? []))]
  if (obstacles.length > 0) {
    for (const path of obstacles) io.printError(`sluice: ${shownPath(dir, folder, path)} exists already\n`)
    io.printError('sluice: nothing was written\n')
    return EXIT.problems
  }
  writeFiles(filesToWrite)
  for (const { path } of filesToWrite) io.print(`wrote ${shownPath(dir, folder, path)}\n`)
  for (const { path } of keptFiles) io.print(`kept ${shownPath(dir, folder, path)}\n`)
  const steps = [
    ...(folder === resolve('.') ? [] : [`cd ${shellWord(dir)}`]),
    ...(keptFiles.length > 0 ? [] : ['npm install']),
    'npx sluice serve',
  ]
  io.print(`next: ${steps.join(' && ')}\n`)
  return EXIT.clean
}

function newFiles(templates: string, folder: string, words: Readonly<Record<string, string>>): readonly NewFile[] {
  return readdirSync(templates, { recursive: true, encoding: 'utf8' })
    .filter(file => statSync(join(templates, file)).isFile())
    .sort()
    .map(file => {
      // npm leaves files such as .gitignore out of a package: a template's name has an underscore for that dot.
      const name = file.replace(/^_/, '.')
      const template = readFileSync(join(templates, file), 'utf8')
      const text = template.replace(/%([A-Z]+)%/g, (whole, word: string) => words[word] ?? whole)
      return { path: join(folder, name), text }
    })
}

/**
 * The path that is in the way of this file: the file itself, or a file in the place of one of its folders; null if the way is free.
 * @throws SetupError where the folder cannot be looked into.
 */
function obstacle(folder: string, path: string): string | null {
  try {
    const parts = relative(folder, path).split(sep)
    for (let depth = 0; depth < parts.length; depth++) {
      const parent = join(folder, ...parts.slice(0, depth))
      if (!lstatSync(parent, { throwIfNoEntry: false })) return null
      if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return parent
    }
    return lstatSync(path, { throwIfNoEntry: false }) ? path : null
  } catch (cause) {
    throw cannotWrite(path, cause)
  }
}

/** A name that npm takes: lower-case letters, digits, `-`, `_` and `.`, no dot or underscore first. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
    .slice(0, 100)
  // A package cannot depend on a package of its own name.
  return name === '' || RESERVED_NAMES.includes(name) ? `${name || 'my'}-endpoints` : name
}

const RESERVED_NAMES: readonly string[] = [ownPackage().name, 'node_modules', 'favicon.ico']

/** The path as the command line names the folder, so that it is valid in the working directory. */
const shownPath = (dir: string, folder: string, path: string): string =>
  join(dir, relative(folder, path)).split(sep).join('/')
