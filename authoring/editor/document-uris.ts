/** Addresses of documents and paths of files: an answer names an open document as the client does. */
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The path of a `file:` address; null for any other, such as that of a document that was never saved. */
export function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

export class DocumentUris {
  readonly #byPath = new Map<string, string>()

  /** Notes how the client writes the address. */
  note(path: string, uri: string): void {
    this.#byPath.set(path, uri)
  }

  of(path: string): string {
    return this.#byPath.get(path) ?? pathToFileURL(path).href
  }
}
