/**
 * Bundles what processes and threads start with, in place of what was compiled for them: Node takes three times as long to load
 * hundreds of modules as to load these few. The other modules in dist/ stay for those who import the package.
 */
import { createRequire, isBuiltin } from 'node:module'
import { dirname } from 'node:path'
import { build } from 'esbuild'

const STARTS = [
  'runner/main',
  'runner/derive/derive-worker',
  'runner/engines/duckdb/translation/translation-worker',
]
/** In one file it loads in four fifths of the time that it takes in twenty, which it would share with the others. */
const ENGINE_PROCESS = 'runner/engines/duckdb/child/child-main'

/**
 * Packages of many small files, which take twice as long to load as one bundle of them, and which every command loads. They
 * stay dependencies: the modules that are not bundled import them.
 */
const DUCKDB = '@duckdb/node-api'
const BUNDLED = [DUCKDB, 'ajv/dist/2020.js', 'commander', 'handlebars', 'yaml']
/** What DuckDB requires is there for the platform alone. */
const NATIVE = '@duckdb/node-bindings'

const bundlingPackages = {
  name: 'bundling-packages',
  setup({ onResolve, onLoad }) {
    const requireHere = createRequire(import.meta.url)
    const requireOf = path => (path === NATIVE ? createRequire(requireHere.resolve(DUCKDB)) : requireHere)
    const namesOf = path => Object.keys(requireOf(path)(path)).filter(name => name !== 'default').join(', ')
    // Inner modules of DuckDB's too: what prepares a session replaces the decoder in one of them.
    onResolve({ filter: new RegExp(`^(?:${BUNDLED.join('|')}|${DUCKDB}/.*)$`) }, ({ path, kind }) =>
      kind === 'import-statement' || kind === 'dynamic-import'
        ? { path: requireHere.resolve(path), namespace: 'bundled' }
        : undefined,
    )
    // By name, or else what imports it while it runs would find no names.
    onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => ({
      contents: [
        `export { ${namesOf(path)} } from ${JSON.stringify(path)}`,
        `export { default } from ${JSON.stringify(path)}`,
      ].join('\n'),
      resolveDir: dirname(path),
    }))
    // What they require themselves: their own dependencies, modules of Node, and DuckDB's library for the platform.
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind !== 'require-call') return undefined
      if (path === NATIVE || isBuiltin(path)) return { path, namespace: 'required' }
      return { path: createRequire(importer).resolve(path) }
    })
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
      // Reads no member, or else Node warns of those that are deprecated.
      if (isBuiltin(path)) return { contents: `module.exports = process.getBuiltinModule('${path}')` }
      // From where the package is: a package manager may hide from this one what that one needs.
      const required = `createRequire(createRequire(import.meta.url).resolve('${DUCKDB}'))('${path}')`
      return {
        contents: [
          "import { createRequire } from 'node:module'",
          `const required = ${required}`,
          'export default required',
          `export const { ${namesOf(path)} } = required`,
        ].join('\n'),
      }
    })
  },
}

/** Returns the paths of the modules that it bundled. */
export async function bundleProgram() {
  const inputs = [await bundle(STARTS, { splitting: true }), await bundle([ENGINE_PROCESS], { splitting: false })]
  return [...new Set(inputs.flat())]
}

async function bundle(starts, options) {
  const { metafile } = await build({
    ...options,
    entryPoints: starts.map(start => `dist/${start}.js`),
    outdir: 'dist',
    outbase: 'dist',
    allowOverwrite: true,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    packages: 'external',
    plugins: [bundlingPackages],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}
