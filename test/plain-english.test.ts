/** Comments, documents and names use the field's words, in sentences with a subject. STYLE: subject, verb, reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { expect } from 'chai'

const CODE = ['explorer', 'googlesql', 'googlesql-duckdb', 'runner', 'authoring', 'cli', 'test', 'tools', 'bench']
const DOCUMENTS = /\.md$/
const SOURCES = /\.(?:tsx?|mjs|cjs|css)$/

/** Names that were replaced by a term of the field: no file or folder may have them again. */
const REPLACED_NAMES = [
  ...['sheet', 'passing-end', 'read-asked', 'answer-unread', 'kept-connections', 'plan-memory', 'load-memory', 'forms'],
  ...['mend', 'in-turn', 'check-needed', 'check-once', 'breathe', 'look', 'follow', 'era', 'told'],
  ...['wire', 'blame-patterns', 'refusals', 'flights', 'run-once', 'due-queue', 'retry-pause', 'share-failure'],
  ...['send-again', 'watch-time', 'remembering', 'abandon', 'call-off', 'complain', 'until-asked'],
  ...['young-generation', 'live-endpoints', 'setting-forms', 'setting-checks', 'plain-yaml', 'plain-flow'],
  ...['follows-from', 'tokenize-alike', 'early-limit', 'early-rows', 'natives', 'fit', 'special-forms'],
  ...['guard', 'guard-statement', 'bind', 'coerce', 'coercion', 'translator', 'translators', 'work'],
  ...['uses', 'stored-arrays', 'compiled-text', 'resolve-function'],
]

const UNCLEAR: readonly { readonly rule: string; readonly pattern: RegExp }[] = [
  { rule: 'name the actor: a caller, an author, a process', pattern: /\b(?:whoever|nobody|somebody|anybody)\b/i },
  { rule: 'say what is missing: "has no …", "is not a …"', pattern: /\bis none\b(?! of)/i },
  { rule: 'begin a sentence with its subject, not with "Of"', pattern: /(?:^|[.!?:] )Of (?!course\b)/ },
]

const files = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => !path.includes('node_modules'))
    .map(path => join(folder, path))

const inCode = CODE.flatMap(files)
const documents = [...readdirSync('.').filter(path => DOCUMENTS.test(path)), ...files('docs'), ...inCode].filter(path =>
  DOCUMENTS.test(path),
)

/** The comments of a source text, one line each, with their line numbers. */
function commentLines(text: string): readonly (readonly [line: number, comment: string])[] {
  return text.split('\n').flatMap((line, i): [number, string][] => {
    const comment = /^\s*(?:\/\/|\/?\*+)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1] ?? /[^:'"`]\/\/ (.*)$/.exec(line)?.[1]
    return comment === undefined ? [] : [[i + 1, comment]]
  })
}

/** The lines of a document outside its code blocks. */
function proseLines(text: string): readonly (readonly [line: number, prose: string])[] {
  let isCode = false
  return text.split('\n').flatMap((line, i): [number, string][] => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    return isCode ? [] : [[i + 1, line.replace(/^[-*#>|\s]+/, '')]]
  })
}

describe('plain English', () => {
  for (const { rule, pattern } of UNCLEAR) {
    it(`in comments: ${rule}`, () => {
      const offenders = inCode
        .filter(path => SOURCES.test(path) && path !== join('test', 'plain-english.test.ts'))
        .flatMap(path => {
          const lines = commentLines(readFileSync(path, 'utf8'))
          return lines.filter(([, text]) => pattern.test(text)).map(([line, text]) => `${path}:${line}: ${text}`)
        })
      expect(offenders.join('\n')).to.equal('')
    })

    it(`in documents: ${rule}`, () => {
      const offenders = documents.flatMap(path => {
        const lines = proseLines(readFileSync(path, 'utf8'))
        return lines.filter(([, text]) => pattern.test(text)).map(([line, text]) => `${path}:${line}: ${text}`)
      })
      expect(offenders.join('\n')).to.equal('')
    })
  }

  it('in names of files and folders', () => {
    const replaced = new Set(REPLACED_NAMES)
    const offenders = inCode.filter(path => {
      const name = basename(path, extname(path)).replace(/\.test$/, '')
      return replaced.has(name)
    })
    expect(offenders.join('\n')).to.equal('')
  })
})
