/** Caches read table schemas by their text, so that a reload reads only the schemas that changed. */
import type { SourceText } from '../discover.js'
import { type ReadSchema, readTableSchema } from './load.js'

/** Returns a reader that gives the same result, the same objects included, while a file's text stays the same. */
export function createSchemaCache(read: ReadSchema = readTableSchema): ReadSchema {
  const entries = new Map<string, { readonly text: string; readonly result: ReturnType<ReadSchema> }>()
  return (source: SourceText) => {
    const entry = entries.get(source.file)
    if (entry?.text === source.text) return entry.result
    const result = read(source)
    entries.set(source.file, { text: source.text, result })
    return result
  }
}
