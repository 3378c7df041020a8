/** `GET /problems/<code>` for browsers. Loaded on the first request. */
import { createHash } from 'node:crypto'
import type { ErrorCode } from '../model/error-codes.js'
import { explainProblem, problemType } from '../model/explain-problem.js'

const STYLE =
  ':root{color-scheme:light dark}body{max-width:42rem;margin:4rem auto;padding:0 1.5rem;font:1.0625rem/1.6 system-ui,sans-serif}' +
  'h1{font-size:1.5rem}code{font-family:ui-monospace,monospace;font-size:.9em}'

/** No script, no form, no frame, nothing from elsewhere: the page has one style and links. */
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The page of a code: a paragraph that says what happened, whose fault it is, and what to do. */
export function problemPage(code: ErrorCode): string {
  const { status, title, what, fault, remedy } = explainProblem(code)
  return page(title, [
    `<p><code>${code}</code>, HTTP status ${status}</p>`,
    `<p>${[what, fault, remedy].map(htmlOf).join(' ')}</p>`,
  ])
}

/** The page of a name that is not a code; `meant` is the code that was probably meant. */
export function unknownProblemPage(meant: ErrorCode | undefined): string {
  const link = meant === undefined ? '' : ` Did you mean <a href="${problemType(meant)}"><code>${meant}</code></a>?`
  return page('No such problem', [`<p>There is no problem of this name.${link}</p>`])
}

function page(title: string, body: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)} · Sluice</title>`,
    `<style>${STYLE}</style>`,
    `<h1>${escapeHtml(title)}</h1>`,
    ...body,
    '</html>',
    '',
  ].join('\n')
}

/** The HTML of a Markdown text in which only code is marked. */
const htmlOf = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)
