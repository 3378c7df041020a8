/** A comparison as the comment of a pull request: at most 60 kB, with long differences folded. */

import { diagnosticLine } from '../../runner/model/diagnostic.js'
import { plural } from '../terminal/plural.js'
import { cut } from '../terminal/printable.js'
import { type Change, IMPACT_RANK } from './change-rules.js'
import { byEndpoint, type Comparison, IMPACT_WORDS, isBreaking, printable, summary } from './report.js'

/** GitHub takes comments of 65,536 characters. */
const MAX_BYTES = 60_000
/** A difference of more lines is folded. */
const MAX_OPEN_LINES = 12
const MAX_DETAIL = 1_000
/** The length to which lines of a difference are cut, in characters, and the least number of lines that a difference shows. */
const MAX_LINE = 500
const LEAST_LINES = 4
const MAX_ERRORS = 20

export function markdownText(comparison: Comparison): string {
  const { base, head, changes, diagnostics } = comparison
  const title = isBreaking(comparison) ? 'Endpoints: breaking changes' : 'Endpoints'
  const top = [`### ${title}`, '', `${codeSpan(base)} → ${codeSpan(head)}: ${escapeMarkdown(summary(comparison))}`, '']
  const errors = diagnostics.slice(0, MAX_ERRORS).map(diagnosticLine)
  const shownErrors = errors.length === 0 ? [] : [...codeBlock('', errors, plural(diagnostics.length, 'error')), '']
  // The longest differences are cut first, then the last changes of the list, in which breaking ones come first.
  for (let lines = 1_000; lines >= LEAST_LINES; lines = Math.floor(lines / 2)) {
    const text = joinLines([...top, ...shownErrors, ...changeLines(changes, lines)])
    if (Buffer.byteLength(text) <= MAX_BYTES) return text
  }
  return shortText(top, changes)
}

const joinLines = (lines: readonly string[]): string => `${lines.join('\n').trimEnd()}\n`

function changeLines(changes: readonly Change[], maxLines: number): readonly string[] {
  return [...byEndpoint(changes)].flatMap(([endpoint, ownChanges]) => [
    `**${escapeMarkdown(endpoint)}**`,
    '',
    ...ownChanges.flatMap(change => changeItem(change, maxLines)),
    '',
  ])
}

function changeItem({ impact, kind, detail, lines = [] }: Change, maxLines: number): readonly string[] {
  const item = `- ${MARKS[impact]} **${IMPACT_WORDS[impact]}** ${codeSpan(cut(detail, MAX_DETAIL))} (${kind})`
  if (lines.length === 0) return [item]
  const kept = lines.slice(0, maxLines)
  const hiddenLines = lines.length - kept.length
  const shownLines = hiddenLines > 0 ? [...kept, `  … ${plural(hiddenLines, 'more line')}`] : kept
  return [item, ...codeBlock('  ', shownLines, kept.length > MAX_OPEN_LINES ? `${lines.length} lines` : null)]
}

const MARKS = { breaking: '🔴', review: '🟡', safe: '🟢' } as const

/** The lines in a code block, with a fence that they do not contain; folded below the title, if there is one. */
function codeBlock(indent: string, lines: readonly string[], title: string | null): readonly string[] {
  const texts = lines.map(line => cut(printable(line), MAX_LINE))
  const longest = Math.max(2, ...texts.flatMap(text => [...text.matchAll(/`+/g)].map(([run]) => run.length)))
  const fence = '`'.repeat(longest + 1)
  const block = [`${fence}diff`, ...texts, fence]
  const folded = title === null ? block : [`<details><summary>${title}</summary>`, '', ...block, '', '</details>']
  return ['', ...folded, ''].map(line => (line === '' ? '' : indent + line))
}

/** The comment without differences, and with as many changes as fit. */
function shortText(top: readonly string[], changes: readonly Change[]): string {
  const sorted = [...changes].sort((a, b) => IMPACT_RANK[a.impact] - IMPACT_RANK[b.impact])
  const note = (count: number): string => `\n… and ${plural(count, 'more change')}: \`sluice diff\` prints all of them.`
  const lines = [...top]
  let bytes = Buffer.byteLength(joinLines(lines)) + Buffer.byteLength(note(sorted.length)) + 2
  for (const [i, { endpoint, impact, kind, detail }] of sorted.entries()) {
    const line = `- ${MARKS[impact]} ${escapeMarkdown(endpoint)}: ${codeSpan(cut(detail, 200))} (${kind})`
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MAX_BYTES) return joinLines([...lines, note(sorted.length - i)])
    lines.push(line)
  }
  return joinLines(lines)
}

/** Any text in a code span, where neither HTML nor Markdown nor a mention has an effect. */
function codeSpan(text: string): string {
  const shown = printable(text)
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 || shown.trim() !== shown || shown === '' ? ' ' : ''
  return `${fence}${space}${shown}${space}${fence}`
}

/** Text outside code: what Markdown or HTML reads is escaped. */
const escapeMarkdown = (text: string): string =>
  printable(text).replace(/[\\`*_{}[\]<>()#+!|~@&-]/g, character => `\\${character}`)
