/** The project's documents, cut into what tests look at: fenced blocks, headings and links. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A fenced block. */
export interface Block {
  /** The first word behind the fence. */
  readonly language: string
  /**
   * The words after it, which no reader sees: `server` for a command that goes on running, `python3` for commands that need it.
   */
  readonly words: readonly string[]
  readonly text: string
  /** Where the text begins in the page. */
  readonly offset: number
  /** The path that the line before the block names, as in "`endpoints/a.yaml`:"; null where the line has no path. */
  readonly path: string | null
}

export interface Page {
  readonly file: string
  readonly text: string
  readonly blocks: readonly Block[]
}

const BLOCK = /^```([^\n]*)\n([\s\S]*?)^```$/gm

export function readPage(file: string): Page {
  const text = readFileSync(file, 'utf8')
  const blocks = [...text.matchAll(BLOCK)].map(match => {
    const [language = '', ...words] = match[1]!.split(' ')
    const before = /`([\w-]+[./][\w./-]+)`:\n\n$/.exec(text.slice(0, match.index))
    const offset = match.index + match[0].indexOf('\n') + 1
    return { language, words, text: match[2]!, offset, path: before?.[1] ?? null }
  })
  return { file, text, blocks }
}

/** Every document but the changelog, which speaks of what was, too. */
export const pageFiles = (): readonly string[] => [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/ga4/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file))
    .sort(),
]

/** The page without its fenced blocks and comments. */
export const proseOf = (page: Page): string => page.text.replace(BLOCK, '').replace(/<!--[\s\S]*?-->/g, '')

/** Where the links of a page lead: `docs/http.md#errors`, `#run`. */
export const linksOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1]!)

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
