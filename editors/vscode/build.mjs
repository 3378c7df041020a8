/** Bundles the extension into dist/, with the schemas of this checkout beside it. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

process.chdir(fileURLToPath(new URL('.', import.meta.url)))

rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
await build({
  entryPoints: ['extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  // VS Code gives this module to extensions.
  external: ['vscode'],
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  logLevel: 'warning',
})
for (const name of ['endpoint', 'table', 'test']) {
  copyFileSync(`../../schemas/${name}.schema.json`, `dist/${name}.schema.json`)
}
copyFileSync('../../LICENSE', 'LICENSE')
