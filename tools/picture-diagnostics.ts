/** Draws docs/diagnostics.svg: what `sluice validate` shows in a terminal for the README's manifest with its two mistakes. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../cli/program.js'
import { SILENT_IO } from './silent-io.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TARGET = join(ROOT, 'docs/diagnostics.svg')
const FILE = 'endpoints/projects.busiest.yaml'

const CHARACTER_PX = 8.43
const LINE_PX = 20
const MARGIN_PX = 20
/** Longer lines are wrapped, as in a terminal with this many columns. */
const COLUMNS = 104

/** The README's first manifest, and its lines 6 to 8 with two mistakes in them. */
function brokenManifest(): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [manifest, mistakes] = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(match => match[1]!)
  const lines = manifest!.split('\n')
  lines.splice(5, 3, ...mistakes!.trimEnd().split('\n'))
  return lines.join('\n')
}

/** The output of the command in a terminal, in a folder that has the broken manifest and the manifests of a fresh clone. */
async function terminalText(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-picture-'))
  try {
    cpSync(join(ROOT, 'endpoints'), join(folder, 'endpoints'), { recursive: true })
    writeFileSync(join(folder, FILE), brokenManifest())
    let text = ''
    const show = (part: string | Uint8Array): void => {
      text += part
    }
    const flags = ['--endpoints', join(folder, 'endpoints'), '--tables', join(ROOT, 'schemas/tables')]
    await run(['validate', join(folder, FILE), ...flags], {
      ...SILENT_IO,
      print: show,
      printError: show,
      isTerminal: true,
    })
    return text.replaceAll(`${folder}/`, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The parts of a line that have a colour: places, rules, carets, the command. */
function coloured(line: string): string {
  return escaped(line)
    .replace(/^(endpoints\/\S+?:\d+:\d+:)/, '<tspan class="place">$1</tspan>')
    .replace(/(\[[\w-]+\/[\w-]+\])$/, '<tspan class="rule">$1</tspan>')
    .replace(/^([\s|]*)(\^+)$/, '$1<tspan class="caret">$2</tspan>')
    .replace(/^(\$ )(.*)$/, '<tspan class="rule">$1</tspan><tspan class="command">$2</tspan>')
}

/** The text of docs/diagnostics.svg. */
export async function pictureText(): Promise<string> {
  const text = `$ npx sluice validate ${FILE}\n${await terminalText()}`
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap(line => line.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [''])
  const width = Math.ceil(COLUMNS * CHARACTER_PX) + 2 * MARGIN_PX
  const height = lines.length * LINE_PX + 2 * MARGIN_PX
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>sluice validate in a terminal</title>',
    '<style>',
    'text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6deeb; white-space: pre }',
    '.place { fill: #82aaff } .rule { fill: #7f8ea3 } .caret { fill: #ff6b6b; font-weight: bold } .command { fill: #ffffff }',
    '</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#101826"/>`,
    ...lines.map((line, i) => {
      const y = MARGIN_PX + (i + 1) * LINE_PX - 6
      return `<text x="${MARGIN_PX}" y="${y}" xml:space="preserve">${coloured(line)}</text>`
    }),
    '</svg>',
  ].join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TARGET, await pictureText())
}
