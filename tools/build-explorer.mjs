/**
 * Bundles explorer/ into dist/explorer/: files with a hash of their contents in their names, each also as .br and .gz, and
 * index.html, which names them.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const TO = 'dist/explorer'
/** Compiled before: the page has what the program says of its formats, without what writes them. */
const COMPILED_FORMATS = new URL('../dist/runner/formats/index.js', import.meta.url).href

/** Returns the paths of the modules that it bundled. */
export async function buildExplorer() {
  const { FORMATS } = await import(COMPILED_FORMATS)
  const { outputFiles, metafile } = await build({
    entryPoints: ['explorer/main.tsx', 'explorer/style/page.css'],
    outdir: TO,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { FORMATS: JSON.stringify(FORMATS) },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  rmSync(TO, { recursive: true, force: true })
  mkdirSync(TO, { recursive: true })
  for (const { path, contents } of outputFiles) write(relative(TO, path), contents)
  const icon = readFileSync('explorer/icon.svg')
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase()}.svg`
  write(iconName, icon)
  const made = Object.entries(metafile.outputs)
  const outputOf = entry => made.find(([, { entryPoint }]) => entryPoint === entry)
  const nameOf = entry => relative(TO, outputOf(entry)[0])
  // Without preloads, the browser would request a part of the script only after it has read the part that imports it.
  const parts = outputOf('explorer/main.tsx')[1].imports.filter(({ kind }) => kind === 'import-statement')
  const preloads = parts.map(({ path }) => `<link rel="modulepreload" href="${relative(TO, path)}">\n`)
  const page = readFileSync('explorer/index.html', 'utf8')
    .replace('icon.svg', iconName)
    .replace('page.css', nameOf('explorer/style/page.css'))
    .replace('main.js', nameOf('explorer/main.tsx'))
    .replace('</head>', `${preloads.join('')}</head>`)
  write('index.html', Buffer.from(page))
  return Object.keys(metafile.inputs)
}

/** The file itself and its compressed forms, which the server sends as they are. */
function write(name, contents) {
  const path = join(TO, name)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.byteLength }
  writeFileSync(path, contents)
  writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }))
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }))
}
