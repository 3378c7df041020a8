/**
 * Bundles the modules with which processes and threads start, and replaces their compiled files: Node takes three times as long
 * to load hundreds of modules as to load these few. The other modules in dist/ stay for programs that import the package.
 */
import { createRequire, isBuiltin } from 'node:module'
import { dirname } from 'node:path'
import { build } from 'esbuild'

const STARTS = [
  'cli/main',
  'runner/formats/derive-worker',
  'runner/formats/export-worker',
  'runner/mcp/agent-worker',
  'runner/engines/bigquery/decode/long-rows-worker',
  'cli/watchdog-thread',
  'googlesql-duckdb/runtime/javascript/sandbox-thread',
]
/**
 * The engine's process is bundled apart: twenty files that it would share with the others take a quarter longer to load. What it
 * imports only for exports has files of its own: in one file, esbuild would import the packages of all of it at the start.
 */
const ENGINE_PROCESS = 'runner/engines/duckdb/child/child-main'

/**
 * Packages of many small files, which take twice as long to load as one bundle of them, and which every command loads. They
 * stay dependencies: the modules that are not bundled import them.
 */
const DUCKDB = '@duckdb/node-api'
const BUNDLED = [DUCKDB, 'ajv/dist/2020.js', 'commander', 'handlebars', 'yaml']
/** DuckDB's native library. It is not bundled, since it is installed only for the current platform. */
const NATIVE = '@duckdb/node-bindings'

const bundlingPackages = {
  name: 'bundling-packages',
  setup({ onResolve, onLoad }) {
    const requireHere = createRequire(import.meta.url)
    const requireOf = path => (path === NATIVE ? createRequire(requireHere.resolve(DUCKDB)) : requireHere)
    const namesOf = path => Object.keys(requireOf(path)(path)).filter(name => name !== 'default').join(', ')
    // Also matches inner modules of DuckDB: the code that prepares a session replaces the decoder in one of them.
    onResolve({ filter: new RegExp(`^(?:${BUNDLED.join('|')}|${DUCKDB}/.*)$`) }, ({ path, kind }) =>
      kind === 'import-statement' || kind === 'dynamic-import'
        ? { path: requireHere.resolve(path), namespace: 'bundled' }
        : undefined,
    )
    // Exports every name: otherwise a dynamic import of the module would find no names.
    onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => ({
      contents: [
        `export { ${namesOf(path)} } from ${JSON.stringify(path)}`,
        `export { default } from ${JSON.stringify(path)}`,
      ].join('\n'),
      resolveDir: dirname(path),
    }))
    // Modules that the packages require: their own dependencies, modules of Node, and DuckDB's library for the platform.
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind !== 'require-call') return undefined
      if (path === NATIVE || isBuiltin(path)) return { path, namespace: 'required' }
      return { path: createRequire(importer).resolve(path) }
    })
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
      // Exports the module without reading its members: Node warns when a deprecated member is read.
      if (isBuiltin(path)) return { contents: `module.exports = process.getBuiltinModule('${path}')` }
      // Resolved from DuckDB's package: a package manager may hide the dependencies of that package from this one.
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
  const inputs = [await bundle(STARTS), await bundle([ENGINE_PROCESS])]
  return [...new Set(inputs.flat())]
}

async function bundle(starts) {
  const { metafile } = await build({
    entryPoints: starts.map(start => `dist/${start}.js`),
    outdir: 'dist',
    outbase: 'dist',
    allowOverwrite: true,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
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
