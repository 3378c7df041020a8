/**
 * Bundles what processes and threads start with, in place of what was compiled for them: Node takes three times as long to load
 * hundreds of modules as to load these few. The other modules in dist/ stay for those who import the package.
 */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { build } from 'esbuild'

const STARTS = [
  'runner/main',
  'runner/derive/derive-worker',
  'runner/engines/duckdb/child/child-main',
  'runner/engines/duckdb/translation/translation-worker',
]

/**
 * A package of 200 small files, which take twice as long to load as its one bundle. It stays a dependency: the modules that
 * are not bundled import it.
 */
const BUNDLED = '@duckdb/node-api'

const bundlingDuckdb = {
  name: 'bundling-duckdb',
  setup({ onResolve, onLoad }) {
    const bundled = createRequire(import.meta.url).resolve(BUNDLED)
    const namesOf = path => Object.keys(createRequire(bundled)(path)).join(', ')
    // Its inner modules too: what prepares a session replaces the decoder in one of them.
    onResolve({ filter: new RegExp(`^${BUNDLED}(?:/|$)`) }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
      namespace: 'bundled',
    }))
    // By name, or else what imports it while it runs would find no names.
    onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => ({
      contents: `export { ${namesOf(path)} } from ${JSON.stringify(path)}`,
      resolveDir: dirname(path),
    }))
    // What it requires itself: modules of Node, and DuckDB's library for the platform.
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'required' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
      // From where the package is: a package manager may hide from this one what that one needs.
      const required = `createRequire(createRequire(import.meta.url).resolve('${BUNDLED}'))('${path}')`
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
  const { metafile } = await build({
    entryPoints: STARTS.map(start => `dist/${start}.js`),
    outdir: 'dist',
    outbase: 'dist',
    allowOverwrite: true,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    plugins: [bundlingDuckdb],
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
