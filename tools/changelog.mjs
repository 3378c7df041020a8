/**
 * CHANGELOG.md by version. `npm version minor` (or patch, major, 1.2.3) runs the first two, commits, and makes the tag.
 *
 *   node tools/changelog.mjs check           exits with 1 if nothing is listed as unreleased
 *   node tools/changelog.mjs release 1.2.0   what is unreleased becomes the section of 1.2.0
 *   node tools/changelog.mjs notes v1.2.0    prints that section; exits with 1 if the tag is not the version in package.json
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const FILE = 'CHANGELOG.md'
const UNRELEASED = '## Unreleased\n'

/** What stands below a heading, up to the next section; null without that heading. */
function sectionOf(text, heading) {
  const start = text.indexOf(`\n${heading}`)
  if (start < 0) return null
  const from = text.indexOf('\n', start + 1) + 1
  const end = text.indexOf('\n## ', from)
  return text.slice(from, end < 0 ? undefined : end).trim()
}

/** The changelog in which what was unreleased is a version's. @param date `2026-01-31` */
export function released(text, version, date) {
  if (!sectionOf(text, UNRELEASED)) throw new Error(`${FILE} lists nothing as unreleased`)
  if (sectionOf(text, `## ${version} `) !== null) throw new Error(`${FILE} has ${version} already`)
  return text.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${date})\n`)
}

/** The notes of a tag's version. */
export function notesOf(text, tag, version) {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has the version ${version}`)
  const notes = sectionOf(text, `## ${version} `)
  if (!notes) throw new Error(`${FILE} has no section "## ${version} (…)"`)
  return `${notes}\n`
}

function run([command, argument = '']) {
  const text = readFileSync(FILE, 'utf8')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const date = new Date().toISOString().slice(0, 10)
  if (command === 'check') released(text, 'any', date)
  else if (command === 'release') writeFileSync(FILE, released(text, argument, date))
  else if (command === 'notes') process.stdout.write(notesOf(text, argument, version))
  else throw new Error('usage: node tools/changelog.mjs check | release VERSION | notes TAG')
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    run(process.argv.slice(2))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
