/**
 * Bundles what processes and threads start with, in place of what was compiled for them: Node takes three times as long to load
 * hundreds of modules as to load these few. The other modules in dist/ stay for those who import the package.
 */
import { createRequire } from 'node:module'
import { build } from 'esbuild'

const STARTS = [
  'runner/main',
  'runner/derive/derive-worker',
  'runner/engines/duckdb/child/child-main',
  'runner/engines/duckdb/translation/translation-worker',
]

/** Packages of many files in CommonJS, which Node reads twice where they are imported: for the names that they export, and to run them. */
const REQUIRED = ['@duckdb/node-api']

/** Has those packages required instead. */
const requiring = {
  name: 'requiring',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(?:${REQUIRED.join('|')})$`) }, ({ path }) => ({ path, namespace: 'required' }))
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path))
      const required = `createRequire(import.meta.url)('${path}')`
      return {
        contents: `import { createRequire } from 'node:module'\nexport const { ${names.join(', ')} } = ${required}`,
      }
    })
  },
}

export async function bundleProgram() {
  await build({
    entryPoints: STARTS.map(start => `dist/${start}.js`),
    outdir: 'dist',
    outbase: 'dist',
    allowOverwrite: true,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    plugins: [requiring],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
}
