/** The outline of a manifest: its parameters, lookups, constants, columns and SQL. */
import type { DocumentSymbol, Position } from 'vscode-languageserver'
import type { NodePath } from '../../../runner/manifest/source.js'
import { isRecord } from '../../../runner/model/is-record.js'
import type { DocumentView } from '../document-view.js'

/** The protocol's kinds of symbols. */
const KIND = { parameters: 13, lookups: 10, constants: 14, columns: 8, sql: 12, section: 3 } as const

export function symbolsOf({ manifest, kind }: DocumentView): readonly DocumentSymbol[] {
  const { source, value } = manifest ?? {}
  if (kind !== 'manifest' || !source || !value) return []
  const symbol = (
    name: string,
    path: NodePath,
    symbolKind: number,
    children: readonly DocumentSymbol[] = [],
  ): DocumentSymbol => {
    const place = source.keyAt(path)
    const start: Position = { line: place.line - 1, character: place.column - 1 }
    const range = { start, end: { line: start.line, character: start.character + name.length } }
    return { name, kind: symbolKind as DocumentSymbol['kind'], range, selectionRange: range, children: [...children] }
  }
  return Object.entries(value).map(([key, members]) => {
    const children = membersOf(key, members).map(([name, path]) => symbol(name, path, KIND[key as NamedKey]))
    return symbol(key, [key], key === 'sql' ? KIND.sql : KIND.section, children)
  })
}

type NamedKey = 'parameters' | 'lookups' | 'constants' | 'columns'

/** The names in a section, with their paths. */
function membersOf(key: string, members: unknown): readonly (readonly [name: string, path: NodePath])[] {
  if (key === 'columns' && Array.isArray(members)) {
    const names = members.map(column => (isRecord(column) ? String(column['name'] ?? '') : ''))
    return names.flatMap((name, i) => (name === '' ? [] : [[name, ['columns', i]]]))
  }
  const isNamed = key === 'parameters' || key === 'lookups' || key === 'constants'
  return isNamed && typeof members === 'object' ? Object.keys(members ?? {}).map(name => [name, [key, name]]) : []
}
