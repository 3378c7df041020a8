/** Conducts the language server: hands each message of the protocol to the workspace and the feature that answer it. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type CodeAction,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  type Location,
  type Range,
  ResponseError,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import type { FilePlace } from '../../runner/manifest/source.js'
import { type SqlCursor, sqlCursor } from './cursor.js'
import { type DocumentView, DocumentViews } from './document-view.js'
import { codeActions } from './features/code-actions.js'
import { completionItems } from './features/completion.js'
import { markdown } from './features/items.js'
import { thingAt } from './features/named-thing.js'
import { type ParameterUse, parameterAt, usesIn } from './features/parameter-uses.js'
import { renamedUses } from './features/rename.js'
import { signatureHelp } from './features/signature-help.js'
import { symbolsOf } from './features/symbols.js'
import type { FolderNames } from './folders.js'
import type { WorkspaceDeps } from './workspace.js'
import { type OwnedFile, Workspaces } from './workspaces.js'

export interface ServerDeps extends Pick<WorkspaceDeps, 'openChecker'> {
  /** The folders as flags and variables name them; the editor's settings come before them. */
  readonly folders: FolderNames
  readonly version: string
}

const TRIGGERS = ['.', '@', '{', '>', '`', '=']
/** The protocol's code of a request that cannot be answered. */
const REQUEST_FAILED = -32803

/** Serves one editor over this connection until it ends. */
export function startServer(connection: Connection, { folders, openChecker, version }: ServerDeps): void {
  const documents = new TextDocuments(TextDocument)
  const uris = new DocumentUris()
  const views = new DocumentViews()
  let names = folders
  let client: InitializeParams['capabilities'] = {}
  let roots: readonly string[] = []
  let lastFailure = ''

  const workspaces = new Workspaces(names, {
    openChecker,
    tellFailure: thrown => {
      const failure = `Sluice: ${thrown instanceof Error ? thrown.message : thrown}`
      // The same failure would come back at each keystroke.
      if (failure !== lastFailure) connection.window.showErrorMessage(failure)
      lastFailure = failure
    },
    send: (file, diagnostics) => {
      const uri = uris.of(file)
      const version = documents.get(uri)?.version
      void connection.sendDiagnostics({ uri, diagnostics: [...diagnostics], ...(version !== undefined && { version }) })
    },
  })

  const ownerOf = (uri: string): OwnedFile | null => {
    const file = pathOf(uri)
    return file === null ? null : workspaces.owner(file)
  }
  const viewOf = (uri: string): DocumentView | null => {
    const owner = ownerOf(uri)
    return owner && views.of(owner.workspace, owner.file)
  }
  interface At {
    readonly view: DocumentView
    readonly document: TextDocument
    readonly offset: number
    readonly cursor: SqlCursor | null
  }
  const at = async ({ textDocument: { uri }, position }: TextDocumentPositionParams): Promise<At | null> => {
    // An editor may ask before the first check has read the files.
    await ownerOf(uri)?.workspace.ready
    const view = viewOf(uri)
    const document = documents.get(uri)
    if (view === null || document === undefined) return null
    const offset = document.offsetAt(position)
    return { view, document, offset, cursor: sqlCursor(view, offset) }
  }
  const useAt = (here: At | null) => here && parameterAt(here.view, here.offset)
  const rangeIn = ({ view, document }: At, from: number, to: number): Range => ({
    start: document.positionAt(view.sql!.toDocument(from)),
    end: document.positionAt(view.sql!.toDocument(to)),
  })
  const locationOf = ({ file, line, column }: FilePlace): Location => {
    const start = { line: line - 1, character: column - 1 }
    return { uri: uris.of(file), range: { start, end: start } }
  }
  const rangeOfUse = ({ file, from, to }: ParameterUse): Range => {
    const text = workspaces.owner(file)?.workspace.texts.find(file)?.text ?? ''
    const document = TextDocument.create(uris.of(file), 'yaml', 0, text)
    return { start: document.positionAt(from), end: document.positionAt(to) }
  }

  connection.onInitialize((params): InitializeResult => {
    client = params.capabilities
    names = namesIn(params.initializationOptions, names)
    const given = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : [])
    roots = given.flatMap(uri => pathOf(uri) ?? [])
    return {
      serverInfo: { name: 'sluice', version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        completionProvider: { triggerCharacters: TRIGGERS },
        signatureHelpProvider: { triggerCharacters: ['(', ','] },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        documentSymbolProvider: true,
        renameProvider: { prepareProvider: true },
        codeActionProvider: { codeActionKinds: ['quickfix'] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    }
  })

  const useNames = async (settings: unknown): Promise<void> => {
    names = namesIn(settings, names)
    await workspaces.rename(names)
    openAll()
  }
  const readConfiguration = async (): Promise<void> =>
    useNames(await connection.workspace.getConfiguration('sluice').catch(() => null))
  connection.onInitialized(async () => {
    await workspaces.rename(names)
    for (const root of roots) workspaces.add(root)
    openAll()
    if (client.workspace?.workspaceFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        for (const { uri } of removed) await workspaces.remove(pathOf(uri) ?? '')
        for (const { uri } of added) if (pathOf(uri) !== null) workspaces.add(pathOf(uri)!)
        openAll()
      })
    }
    if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration) {
      const watchers = [{ globPattern: '**/*.{yaml,yml,sql,json}' }]
      await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers })
    }
    if (client.workspace?.didChangeConfiguration?.dynamicRegistration) {
      await connection.client.register(DidChangeConfigurationNotification.type, { section: 'sluice' })
    }
    if (client.workspace?.configuration) await readConfiguration()
  })

  connection.onDidChangeConfiguration(({ settings }: { settings: unknown }) =>
    client.workspace?.configuration ? readConfiguration() : useNames((settings as { sluice?: unknown } | null)?.sluice),
  )
  connection.onDidChangeWatchedFiles(() => {
    for (const workspace of workspaces.all()) workspace.rescan()
  })

  const opened = (document: TextDocument): void => {
    const file = pathOf(document.uri)
    const owner = file === null ? null : workspaces.ownerOrNew(file)
    if (owner === null) return
    uris.note(owner.file, document.uri)
    owner.workspace.texts.open(owner.file, document.getText())
    owner.workspace.changed(owner.kind)
  }
  const openAll = (): void => documents.all().forEach(opened)
  // Called when a document is opened, too.
  documents.onDidChangeContent(({ document }) => opened(document))
  documents.onDidSave(({ document }) => ownerOf(document.uri)?.workspace.rescan())
  documents.onDidClose(({ document }) => {
    const owner = ownerOf(document.uri)
    owner?.workspace.texts.close(owner.file)
    owner?.workspace.rescan()
  })

  connection.onCompletion(async params => {
    const here = await at(params)
    if (!here?.cursor) return []
    const hasSnippets = client.textDocument?.completion?.completionItem?.snippetSupport === true
    return [...completionItems(here.cursor, (from, to) => rangeIn(here, from, to), { hasSnippets })]
  })
  connection.onSignatureHelp(async params => {
    const here = await at(params)
    return here?.cursor ? signatureHelp(here.cursor) : null
  })
  connection.onHover(async params => {
    const here = await at(params)
    const found = here?.cursor && thingAt(here.cursor)
    return found?.text ? { contents: markdown(found.text), range: rangeIn(here!, found.from, found.to) } : null
  })
  connection.onDefinition(async params => {
    const here = await at(params)
    const place = here?.cursor && thingAt(here.cursor)?.place
    if (place) return locationOf(place)
    // `by:` and `tenant:` name a parameter outside the SQL.
    const use = here?.cursor === null ? useAt(here) : null
    const source = here?.view.manifest?.source
    return use && source ? locationOf(source.keyAt(['parameters', use.name])) : null
  })
  connection.onReferences(async params => {
    const here = await at(params)
    const use = useAt(here)
    if (!use) return []
    const uses = usesIn(here!.view.workspace, here!.view.manifest!, use.name)
    return uses.map(one => ({ uri: uris.of(one.file), range: rangeOfUse(one) }))
  })
  connection.onPrepareRename(async params => {
    const use = useAt(await at(params))
    return use ? { range: rangeOfUse(use), placeholder: use.name } : null
  })
  connection.onRenameRequest(async (params): Promise<WorkspaceEdit | ResponseError> => {
    const here = await at(params)
    const use = useAt(here)
    if (!use) return new ResponseError(REQUEST_FAILED, 'only parameters can be renamed')
    // An editor may give the name as it stands in SQL.
    const newText = params.newName.replace(/^@/, '')
    const uses = renamedUses(here!.view, use.name, newText)
    if (typeof uses === 'string') return new ResponseError(REQUEST_FAILED, uses)
    const changes: Record<string, TextEdit[]> = {}
    for (const one of uses) {
      const uri = uris.of(one.file)
      changes[uri] = [...(changes[uri] ?? []), { range: rangeOfUse(one), newText }]
    }
    return { changes }
  })
  connection.onDocumentSymbol(({ textDocument }) => {
    const view = viewOf(textDocument.uri)
    return view ? [...symbolsOf(view)] : []
  })
  connection.onCodeAction(({ textDocument, range }): CodeAction[] => {
    const owner = ownerOf(textDocument.uri)
    return owner ? [...codeActions(textDocument.uri, range, owner.workspace.published.of(owner.file))] : []
  })

  connection.onShutdown(() => workspaces.close())
  documents.listen(connection)
  connection.listen()
}

/** The folders that settings name; those that they do not name stay. */
function namesIn(settings: unknown, before: FolderNames): FolderNames {
  const given = (typeof settings === 'object' && settings !== null ? settings : {}) as Record<string, unknown>
  const name = (key: keyof FolderNames): string => {
    const found = given[key]
    return typeof found === 'string' && found !== '' ? found : before[key]
  }
  return { endpoints: name('endpoints'), tables: name('tables'), functions: name('functions'), data: name('data') }
}

/** The path of a `file:` address; null for any other, such as that of a document that was never saved. */
function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

/** Addresses of documents: an answer names an open document as the client does. */
class DocumentUris {
  readonly #byPath = new Map<string, string>()

  /** Notes how the client writes the address. */
  note(path: string, uri: string): void {
    this.#byPath.set(path, uri)
  }

  of(path: string): string {
    return this.#byPath.get(path) ?? pathToFileURL(path).href
  }
}
