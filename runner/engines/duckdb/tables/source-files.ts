/**
 * Writes tables that are given as rows to files, so that all tables are read in the same way, and a new child process can read
 * them again.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TableDefinition } from '../../../../googlesql/index.js'
import type { TableSource } from '../process/messages.js'

/** The table with absolute paths of its files. Its rows, if any, are written to `<index>.ndjson` in `folder`. */
export function withFiles(
  { definition, files, rows }: TableSource,
  folder: string,
  index: number,
): { readonly definition: TableDefinition; readonly files?: readonly string[] } {
  const absoluteFiles = files?.map(file => resolve(file))
  if (!rows) return absoluteFiles ? { definition, files: absoluteFiles } : { definition }
  if (rows.length === 0) return { definition, files: absoluteFiles ?? [] }
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${index}.ndjson`)
  const member = definition.textForm?.rows
  const document = member === undefined ? rows : [{ [member]: rows }]
  writeFileSync(path, document.map(row => `${JSON.stringify(row, resultValue)}\n`).join(''))
  return { definition, files: [path, ...(absoluteFiles ?? [])] }
}

/** Writes values that JSON does not have as results do. JSON.stringify converts a Buffer before it passes `value`; `this` has the Buffer. */
function resultValue(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key]
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
