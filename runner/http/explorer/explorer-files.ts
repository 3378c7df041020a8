/** The files of the page as tools/build-explorer.mjs has written them. Loaded on the first request for one. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads all files, by name: half a megabyte with their compressed forms. */
export async function readExplorerFiles(): Promise<ReadonlyMap<string, ExplorerFile>> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('#package'))), 'dist', 'explorer')
  const names = (await readdir(folder)).filter(name => Object.hasOwn(TYPES, extname(name)))
  return new Map(await Promise.all(names.map(async name => [name, await readForms(join(folder, name))] as const)))
}

export type ExplorerFile = Awaited<ReturnType<typeof readForms>>

/** The file with its media type and compressed forms. Its tag is weak, since all codings share it. */
async function readForms(path: string) {
  const [plain, br, gzip] = await Promise.all([readFile(path), readFile(`${path}.br`), readFile(`${path}.gz`)])
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { type: TYPES[extname(path)]!, etag: `W/"${hash}"`, plain, br, gzip }
}
