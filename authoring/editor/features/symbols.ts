/** The outline of a manifest: its parameters, lookups, constants, columns and SQL. */
import type { DocumentSymbol, Position } from 'vscode-languageserver'
import type { NodePath } from '../../../runner/manifest/source.js'
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
  return Object.keys(value).map(key => {
    const members = value[key]
    if (key === 'columns' && Array.isArray(members)) {
      const names = members.map(
        (column: unknown, i) => [String((column as { name?: unknown } | null)?.name ?? ''), i] as const,
      )
      const children = names
        .filter(([name]) => name !== '')
        .map(([name, i]) => symbol(name, ['columns', i], KIND.columns))
      return symbol(key, [key], KIND.section, children)
    }
    const isNamed = key === 'parameters' || key === 'lookups' || key === 'constants'
    if (!isNamed || typeof members !== 'object' || members === null) {
      return symbol(key, [key], key === 'sql' ? KIND.sql : KIND.section)
    }
    const children = Object.keys(members).map(name => symbol(name, [key, name], KIND[key]))
    return symbol(key, [key], KIND.section, children)
  })
}
