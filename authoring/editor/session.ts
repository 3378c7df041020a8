/** One editor: its open documents, the workspaces that read them, and the places that requests and answers name. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type Connection,
  type InitializeParams,
  type Location,
  type Range,
  type TextDocumentPositionParams,
  TextDocuments,
} from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import type { FilePlace } from '../../runner/manifest/source.js'
import type { Settings } from '../../runner/settings/settings.js'
import { sqlCursor } from './cursor.js'
import { DocumentViews } from './document-view.js'
import { type ParameterUse, parameterAt } from './features/parameter-uses.js'
import { type OwnedFile, Workspaces } from './workspaces.js'

/** A position in a document. */
export type DocumentPosition = NonNullable<Awaited<ReturnType<EditorSession['positionOf']>>>

export class EditorSession {
  readonly documents = new TextDocuments(TextDocument)
  readonly workspaces: Workspaces
  client: InitializeParams['capabilities'] = {}
  readonly #views = new DocumentViews()
  /** The addresses of documents as the client writes them, by path. */
  readonly #uris = new Map<string, string>()
  #lastFailure = ''

  /** The folders of `settings` are defaults: the editor's own settings may name others. */
  constructor(connection: Connection, settings: Settings) {
    this.workspaces = new Workspaces({
      settings,
      tellFailure: thrown => {
        const failure = `Sluice: ${thrown instanceof Error ? thrown.message : thrown}`
        // The same failure would come back at each keystroke.
        if (failure !== this.#lastFailure) connection.window.showErrorMessage(failure)
        this.#lastFailure = failure
      },
      send: (file, diagnostics) => {
        const uri = this.uriOf(file)
        const version = this.documents.get(uri)?.version
        const versioned = version === undefined ? {} : { version }
        void connection.sendDiagnostics({ uri, diagnostics: [...diagnostics], ...versioned })
      },
    })
  }

  /** Takes the text of a document that was opened or edited. */
  open(document: TextDocument): void {
    const file = pathOf(document.uri)
    const owner = file === null ? null : this.workspaces.ownerOrNew(file)
    if (owner === null) return
    this.#uris.set(owner.file, document.uri)
    owner.workspace.texts.open.set(owner.file, { file: owner.file, text: document.getText() })
    owner.workspace.documentChanged(owner.kind)
  }

  /** Takes all open documents again, for workspaces that were added. */
  openAll(): void {
    for (const document of this.documents.all()) this.open(document)
  }

  close({ uri }: TextDocument): void {
    const owner = this.ownerOf(uri)
    owner?.workspace.texts.open.delete(owner.file)
    owner?.workspace.rescan()
  }

  ownerOf(uri: string): OwnedFile | null {
    const file = pathOf(uri)
    return file === null ? null : this.workspaces.owner(file)
  }

  /** Null where no workspace has the document; `cursor` is null outside SQL. */
  async positionOf({ textDocument: { uri }, position }: TextDocumentPositionParams) {
    const owner = this.ownerOf(uri)
    // An editor may ask before the first check has read the files.
    await owner?.workspace.ready
    const view = owner && this.#views.viewOf(owner.workspace, owner.file)
    const document = this.documents.get(uri)
    if (view === null || document === undefined) return null
    const offset = document.offsetAt(position)
    return { view, document, offset, cursor: sqlCursor(view, offset) }
  }

  /** The address of a file, as the client spells it if the document is open. */
  uriOf(file: string): string {
    return this.#uris.get(file) ?? pathToFileURL(file).href
  }

  locationOf({ file, line, column }: FilePlace): Location {
    const start = { line: line - 1, character: column - 1 }
    return { uri: this.uriOf(file), range: { start, end: start } }
  }

  rangeOf({ file, from, to }: ParameterUse): Range {
    const text = this.workspaces.owner(file)?.workspace.texts.find(file)?.text ?? ''
    return rangeIn(TextDocument.create(this.uriOf(file), 'yaml', 0, text), from, to)
  }
}

/** The parameter whose name is at the position. */
export const parameterUseAt = (place: DocumentPosition | null) => place && parameterAt(place.view, place.offset)

/** The range of offsets in the template. */
export const sqlRange = ({ view, document }: DocumentPosition, from: number, to: number): Range =>
  rangeIn(document, view.sql!.toDocument(from), view.sql!.toDocument(to))

const rangeIn = (document: TextDocument, from: number, to: number): Range => ({
  start: document.positionAt(from),
  end: document.positionAt(to),
})

/** The path of a `file:` address; null for any other, such as that of a document that was never saved. */
export function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}
