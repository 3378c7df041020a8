/** Packs the extension under the version of Sluice: `node package.mjs [FOLDER]` writes `sluice-1.2.3.vsix` there. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createVSIX } from '@vscode/vsce'

const folder = resolve(process.argv[2] ?? '.')
process.chdir(fileURLToPath(new URL('.', import.meta.url)))

const { version } = JSON.parse(readFileSync('../../package.json', 'utf8'))
await createVSIX({
  version,
  updatePackageJson: false,
  gitTagVersion: false,
  // All of it is in the bundle.
  dependencies: false,
  allowMissingRepository: true,
  packagePath: join(folder, `sluice-${version}.vsix`),
})
