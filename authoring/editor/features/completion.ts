/** Completion in SQL: what may be written at the cursor. Words of YAML are completed from the JSON Schemas by a YAML server. */
import type { CompletionItem, Range } from 'vscode-languageserver'
import { typeName } from '../../../googlesql/index.js'
import { ownersBefore, type SqlCursor } from '../cursor.js'
import {
  columnText,
  FUNCTIONS,
  functionText,
  NOW_TEXT,
  parameterText,
  storedFunctionText,
  tableText,
} from '../documentation.js'
import { fieldsOf, resolvePath, type ScopeColumn, type SqlScope } from '../sql/columns.js'
import { withoutTags } from '../sql/template-tags.js'
import { constantNames, KIND, lookupNames, markdown, partialNames, type RangeOf } from './items.js'
import { tagItems } from './tag-completion.js'

const SNIPPET = 2 as const
/** Names are offered before functions, and functions before keywords. */
const ORDER = { column: '0', source: '1', parameter: '2', function: '3', template: '4', keyword: '5' } as const

const KEYWORDS: readonly string[] = [
  ...'SELECT DISTINCT FROM WHERE HAVING QUALIFY LIMIT WITH AS AND OR NOT IN BETWEEN LIKE CASE WHEN THEN ELSE END'.split(
    ' ',
  ),
  ...'ON USING UNNEST WINDOW OVER ASC DESC INTERVAL TRUE FALSE NULL'.split(' '),
  ...['GROUP BY', 'ORDER BY', 'PARTITION BY', 'IS NULL', 'INNER JOIN', 'LEFT JOIN', 'CROSS JOIN', 'UNION ALL'],
]

export function completionItems(cursor: SqlCursor, rangeOf: RangeOf, hasSnippets: boolean): readonly CompletionItem[] {
  const { tag, tokens, offset, template } = cursor
  if (tag !== null) return tagItems(cursor, tag, rangeOf)
  const typedSql = template.slice(0, offset)
  const inside = tokens.find(({ at, end }) => at < offset && offset < end)
  const isInText = inside?.kind === 'string' || inside?.kind === 'bytes'
  // A name in backticks that is not closed yet is a table.
  const isTable = inside?.isBroken === true && template[inside.at] === '`'
  if (!isTable && (isInText || isInComment(withoutTags(template).slice(0, offset), tokens))) return []
  const typed = /[`\w.@-]*$/.exec(typedSql)![0]
  const from = offset - typed.length
  if (/@\w*$/.test(typed)) return parameterItems(cursor, rangeOf(offset - /@\w*$/.exec(typed)![0].length, offset))
  if (typed.includes('`')) return tableItems(cursor, rangeOf(from, backtickEnd(template, offset)), '`')
  if (isTablePosition(cursor, from)) return sourceItems(cursor, rangeOf(from, offset), typed)
  const word = /\w*$/.exec(typed)![0]
  const owner = ownerOf(cursor, offset - word.length)
  if (owner !== null)
    return columnItems(cursor, membersOf(owner, cursor.scope()), rangeOf(offset - word.length, offset))
  return expressionItems(cursor, rangeOf(from, offset), hasSnippets)
}

/** The offset after the name in backticks that the cursor is in. */
function backtickEnd(template: string, offset: number): number {
  const rest = /^[\w.-]*`?/.exec(template.slice(offset))![0]
  return offset + (rest.endsWith('`') ? rest.length : 0)
}

function isInComment(before: string, tokens: SqlCursor['tokens']): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const start = before.length - line.length
  const marker = line.search(/--|#/)
  return marker >= 0 && !tokens.some(({ at, end }) => at <= start + marker && start + marker < end)
}

/** Whether a table can stand at the offset: after FROM or JOIN, or after a comma in their list. */
function isTablePosition({ tokens }: SqlCursor, from: number): boolean {
  let depth = 0
  let isAfterComma = false
  for (let i = tokens.findLastIndex(({ end, kind }) => kind !== 'end' && end <= from); i >= 0; i--) {
    const { term } = tokens[i]!
    if (term === ')' || term === ']') depth++
    else if (term === '(' || term === '[') depth--
    if (depth < 0) return false
    if (depth > 0) continue
    if (term === 'FROM' && isWithinExpression(tokens, i)) return false
    if (term === 'FROM' || term === 'JOIN') return isAfterComma || tokens[i + 1]!.at >= from
    if (term === ',') isAfterComma ||= tokens[i + 1]!.at >= from
    else if (!isAfterComma && tokens[i + 1]!.at >= from && term !== ')') return false
    if (/^(?:SELECT|WHERE|ON|BY|HAVING|LIMIT|QUALIFY|USING)$/.test(term)) return false
  }
  return false
}

/** Whether the FROM at this index is that of `EXTRACT(part FROM value)` or `IS DISTINCT FROM`. */
const isWithinExpression = (tokens: SqlCursor['tokens'], index: number): boolean =>
  tokens[index - 1]?.term === 'DISTINCT' || (tokens[index - 2]?.term === '(' && tokens[index - 3]?.term === 'EXTRACT')

/** The names before the dot at the offset; null where no dot is there. */
function ownerOf({ tokens }: SqlCursor, offset: number): readonly string[] | null {
  const dot = tokens.findIndex(({ term, end }) => term === '.' && end === offset)
  // An element of an array, `entry.metadata[0].`, has the fields of the array's records.
  const { owners, isWhole } = ownersBefore(tokens, dot)
  return dot < 0 ? null : isWhole ? owners : []
}

function membersOf(path: readonly string[], scope: SqlScope): readonly ScopeColumn[] {
  const item = enclosingScopes(scope)
    .flatMap(({ items }) => items)
    .find(({ alias }) => path.length === 1 && alias.toLowerCase() === path[0]!.toLowerCase())
  if (item && item.columns.length > 0) return item.columns
  const column = resolvePath(scope, path)
  return column ? fieldsOf(column, true) : []
}

function enclosingScopes(scope: SqlScope): readonly SqlScope[] {
  return scope.outer === null ? [scope] : [scope, ...enclosingScopes(scope.outer)]
}

function expressionItems(cursor: SqlCursor, range: Range, hasSnippets: boolean): readonly CompletionItem[] {
  const all = enclosingScopes(cursor.scope())
  const columns = all.flatMap(({ items }) =>
    items.flatMap(item => (item.columns.length > 0 ? item.columns : (item.value ?? []))),
  )
  const aliases = all[0]!.aliases
    .filter(name => !columns.some(column => column.name === name))
    .map((name): ScopeColumn => ({ name, type: null, origin: null }))
  return unique([
    ...columnItems(cursor, [...columns, ...aliases], range),
    ...all
      .flatMap(({ items }) => items)
      .flatMap(({ alias }) => (alias === '' ? [] : sourceItem(alias, 'in FROM', range))),
    ...parameterItems(cursor, range),
    ...storedFunctionItems(cursor, range, hasSnippets),
    ...functionItems(range, hasSnippets),
    ...templateItems(cursor, range),
    ...KEYWORDS.map(label => item('keyword', 'keyword', label, range)),
  ])
}

function sourceItems(cursor: SqlCursor, range: Range, typed: string): readonly CompletionItem[] {
  const scope = cursor.scope()
  const [first] = typed.split('.')
  const arrays = typed.includes('.') && resolvePath(scope, [first!]) !== undefined ? membersOf([first!], scope) : []
  const arrayItems = arrays
    .filter(({ type }) => type?.kind === 'ARRAY')
    .map(({ name }) => sourceItem(`${first}.${name}`, 'array', range))
  return unique([
    ...scope.ctes.map(({ name }) => sourceItem(name, 'common table expression', range)),
    ...arrayItems,
    ...scope.items.flatMap(({ alias }) => (alias === '' ? [] : sourceItem(alias, 'in FROM', range))),
    ...tableItems(cursor, range, ''),
    { ...sourceItem('UNNEST', 'the elements of an array', range), kind: KIND.keyword },
    ...templateItems(cursor, range),
  ])
}

/** @param more further members of the item; `newText` is the text that is written, by default the label */
function item(
  order: keyof typeof ORDER,
  kind: keyof typeof KIND,
  label: string,
  range: Range,
  { newText = label, ...more }: Partial<CompletionItem> & { readonly newText?: string } = {},
): CompletionItem {
  return { label, kind: KIND[kind], sortText: ORDER[order] + label, textEdit: { range, newText }, ...more }
}

const sourceItem = (label: string, detail: string, range: Range): CompletionItem =>
  item('source', 'struct', label, range, { detail })

/** A dotted name, in backticks where SQL needs them. */
const quoteName = (name: string): string => (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(name) ? name : `\`${name}\``)

/** Tables with their full names; `quote` is the backtick that was typed. */
function tableItems({ view }: SqlCursor, range: Range, quote: string): readonly CompletionItem[] {
  const { catalogue, tables } = view.workspace
  return (catalogue?.names() ?? []).map(label => {
    const documentation = markdown(tableText(tables.get(label) ?? catalogue!.find(label)!))
    const newText = quote === '' ? quoteName(label) : `\`${label}\``
    const more = { detail: 'table', documentation, filterText: quote + label, newText }
    return item('source', 'struct', label, range, more)
  })
}

function columnItems({ view }: SqlCursor, columns: readonly ScopeColumn[], range: Range): readonly CompletionItem[] {
  return unique(
    columns.map(column =>
      item('column', 'field', column.name, range, {
        detail: column.type ? typeName(column.type) : '',
        documentation: markdown(columnText(column, view.workspace.tables)),
        newText: /^[A-Za-z_]\w*$/.test(column.name) ? column.name : `\`${column.name}\``,
      }),
    ),
  )
}

function parameterItems({ view }: SqlCursor, range: Range): readonly CompletionItem[] {
  const declared = Object.entries(view.manifest?.names.parameters ?? {})
  const items = declared.map(([name, parameter]) =>
    item('parameter', 'variable', `@${name}`, range, {
      detail: String(parameter.type).toUpperCase(),
      documentation: markdown(parameterText(name, parameter)),
    }),
  )
  const now = { detail: 'TIMESTAMP', documentation: markdown(NOW_TEXT), sortText: `${ORDER.parameter}~now` }
  return [...items, item('parameter', 'variable', '@now', range, now)]
}

function functionItems(range: Range, hasSnippets: boolean): readonly CompletionItem[] {
  return [...FUNCTIONS].map(([label, [entry]]) => {
    const takesNone = entry!.signatures.every(signature => signature.includes('()'))
    const call = /^[\w.]+$/.test(label) ? `${label}(${takesNone ? '' : '$0'})` : label
    return item('function', 'function', label, range, {
      detail: entry!.signatures[0] ?? '',
      documentation: markdown(functionText(entry!)),
      ...snippet(label, call, hasSnippets),
      ...(hasSnippets && { command: SHOW_SIGNATURE }),
    })
  })
}

/** What is inserted: a call with the cursor inside, if the client supports snippets, otherwise the name. */
const snippet = (name: string, call: string, hasSnippets: boolean) =>
  hasSnippets ? { insertTextFormat: SNIPPET, newText: call } : { newText: name }

/** The functions that are kept in datasets. */
function storedFunctionItems({ view }: SqlCursor, range: Range, hasSnippets: boolean): readonly CompletionItem[] {
  return (view.workspace.catalogue?.functions.sources ?? []).map(source =>
    item('source', 'function', source.name, range, {
      detail: 'function',
      documentation: markdown(storedFunctionText(source)),
      ...snippet(quoteName(source.name), `${quoteName(source.name)}($0)`, hasSnippets),
    }),
  )
}

/** VS Code shows the signature after it has inserted a call; other editors ignore commands that they do not know. */
const SHOW_SIGNATURE = { title: 'Show the signature', command: 'editor.action.triggerParameterHints' }

/** Tags as a whole, where no braces have been typed. */
const templateItems = ({ view }: SqlCursor, range: Range): readonly CompletionItem[] =>
  [...lookupNames(view), ...constantNames(view), ...partialNames(view)].map(({ label, kind, text = '' }) => ({
    label,
    kind,
    sortText: ORDER.template + label,
    textEdit: { range, newText: kind === KIND.file ? `{{> ${label}}}` : `{{${label}}}` },
    documentation: markdown(text),
  }))

/** The first item of each label. */
function unique(items: readonly CompletionItem[]): readonly CompletionItem[] {
  const seen = new Set<string>()
  return items.filter(({ label }) => !seen.has(label) && seen.add(label))
}
