/** Writes the licences of the packages whose code dist/ contains: these licences must be distributed with the code. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The last package in a path: `node_modules/@preact/signals/dist/signals.mjs` belongs to @preact/signals. */
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//

/** @param inputs the paths of all bundled modules. @throws Error where a package has no licence file. */
export function writeLicenses(inputs) {
  const names = new Set(inputs.flatMap(path => PACKAGE.exec(path)?.[1] ?? []))
  const texts = [...names].sort().map(name => {
    const folder = join('node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${folder} has no licence file, and is bundled`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  const rule = `\n${'-'.repeat(80)}\n\n`
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', `These packages are part of the files in this folder.\n${rule}${texts.join(rule)}`)
}
