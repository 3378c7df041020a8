/** Conducts the language server: hands each message of the protocol to the workspace and the feature that answer it. */
import { relative } from 'node:path'
import {
  type CodeAction,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  type Location,
  type Position,
  type Range,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import type { FilePlace } from '../../runner/manifest/source.js'
import { type SqlCursor, sqlCursor } from './cursor.js'
import { DocumentUris, pathOf } from './document-uris.js'
import { type DocumentView, DocumentViews } from './document-view.js'
import { codeActions } from './features/code-actions.js'
import { completionItems } from './features/completion.js'
import { definitionOf } from './features/definition.js'
import { hoverText } from './features/hover.js'
import { markdown } from './features/items.js'
import { type NamedThing, thingAt } from './features/named-thing.js'
import { type ParameterUse, parameterAt, sharedPartial, usesIn } from './features/parameter-uses.js'
import { signatureHelp } from './features/signature-help.js'
import { symbolsOf } from './features/symbols.js'
import type { FolderNames } from './folders.js'
import type { WorkspaceDeps } from './workspace.js'
import { Workspaces } from './workspaces.js'

export interface ServerDeps extends Pick<WorkspaceDeps, 'openChecker'> {
  /** The folders as flags and variables name them; the editor's settings come before them. */
  readonly folders: FolderNames
  readonly version: string
}

const TRIGGERS = ['.', '@', '{', '>', '`', '=']
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
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
    openFiles: () => documents.all().flatMap(({ uri }) => pathOf(uri) ?? []),
    send: (file, diagnostics) => {
      const uri = uris.of(file)
      const version = documents.get(uri)?.version
      void connection.sendDiagnostics({ uri, diagnostics: [...diagnostics], ...(version !== undefined && { version }) })
    },
  })

  const viewOf = (uri: string): DocumentView | null => {
    const file = pathOf(uri)
    const owner = file === null ? null : workspaces.owner(file)
    return owner === null ? null : views.of(owner.workspace, file!)
  }
  interface At {
    readonly view: DocumentView
    readonly document: TextDocument
    readonly offset: number
    readonly cursor: SqlCursor | null
  }
  const at = async (uri: string, position: Position): Promise<At | null> => {
    // An editor may ask before the first check has read the files.
    await workspaces.owner(pathOf(uri) ?? '')?.workspace.ready
    const view = viewOf(uri)
    const document = documents.get(uri)
    if (view === null || document === undefined) return null
    const offset = document.offsetAt(position)
    return { view, document, offset, cursor: sqlCursor(view, offset) }
  }
  const thing = (here: At | null): NamedThing | null => (here?.cursor ? thingAt(here.cursor) : null)
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

  connection.onInitialized(async () => {
    await workspaces.rename(names)
    for (const root of roots) workspaces.add(root)
    for (const document of documents.all()) opened(document)
    if (client.workspace?.workspaceFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        for (const { uri } of removed) await workspaces.remove(pathOf(uri) ?? '')
        for (const { uri } of added) if (pathOf(uri) !== null) workspaces.add(pathOf(uri)!)
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

  const readConfiguration = async (): Promise<void> => {
    names = namesIn(await connection.workspace.getConfiguration('sluice').catch(() => null), names)
    await workspaces.rename(names)
    for (const document of documents.all()) opened(document)
  }
  connection.onDidChangeConfiguration(async ({ settings }: { settings: unknown }) => {
    if (client.workspace?.configuration) return readConfiguration()
    names = namesIn((settings as { sluice?: unknown } | null)?.sluice, names)
    await workspaces.rename(names)
    for (const document of documents.all()) opened(document)
  })
  connection.onDidChangeWatchedFiles(() => {
    for (const workspace of workspaces.all()) workspace.rescan()
  })

  const opened = (document: TextDocument): void => {
    const file = pathOf(document.uri)
    const owner = file === null ? null : workspaces.ownerOrNew(file)
    if (owner === null) return
    uris.note(file!, document.uri)
    owner.workspace.texts.open(file!, document.getText())
    owner.workspace.changed(owner.kind)
  }
  // Called when a document is opened, too.
  documents.onDidChangeContent(({ document }) => opened(document))
  documents.onDidSave(({ document }) => {
    const file = pathOf(document.uri)
    if (file !== null) workspaces.owner(file)?.workspace.rescan()
  })
  documents.onDidClose(({ document }) => {
    const file = pathOf(document.uri)
    const owner = file === null ? null : workspaces.owner(file)
    owner?.workspace.texts.close(file!)
    owner?.workspace.rescan()
  })

  connection.onCompletion(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    if (!here?.cursor) return []
    const hasSnippets = client.textDocument?.completion?.completionItem?.snippetSupport === true
    return [...completionItems(here.cursor, (from, to) => rangeIn(here, from, to), { hasSnippets })]
  })
  connection.onSignatureHelp(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    return here?.cursor ? signatureHelp(here.cursor) : null
  })
  connection.onHover(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    const found = thing(here)
    const text = found && hoverText(found, here!.view)
    return text ? { contents: markdown(text), range: rangeIn(here!, found.from, found.to) } : null
  })
  connection.onDefinition(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    const found = thing(here)
    const place = found && definitionOf(found, here!.cursor!)
    if (place) return locationOf(place)
    // `by:` and `tenant:` name a parameter outside the SQL.
    const use = here && here.cursor === null ? parameterAt(here.view, here.offset) : null
    const source = here?.view.manifest?.source
    return use && source ? locationOf(source.keyAt(['parameters', use.name])) : null
  })
  connection.onReferences(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    const use = here && parameterAt(here.view, here.offset)
    if (!use) return []
    const uses = usesIn(here.view.workspace, here.view.manifest!, use.name)
    return uses.map(one => ({ uri: uris.of(one.file), range: rangeOfUse(one) }))
  })
  connection.onPrepareRename(async ({ textDocument, position }) => {
    const here = await at(textDocument.uri, position)
    const use = here && parameterAt(here.view, here.offset)
    return use ? { range: rangeOfUse(use), placeholder: use.name } : null
  })
  connection.onRenameRequest(async ({ textDocument, position, newName }): Promise<WorkspaceEdit | ResponseError> => {
    const refused = (reason: string): ResponseError => new ResponseError(REQUEST_FAILED, reason)
    const here = await at(textDocument.uri, position)
    const use = here && parameterAt(here.view, here.offset)
    if (!use) return refused('only parameters can be renamed')
    const { workspace, manifest } = here.view
    // An editor may give the name as it stands in SQL.
    const name = newName.replace(/^@/, '')
    if (!PARAMETER_NAME.test(name))
      return refused(`a parameter's name is a letter, then letters, digits and _: ${name}`)
    const declared = Object.keys(manifest!.names.parameters).filter(one => one !== use.name)
    const taken = [...declared, 'now'].find(one => one.toLowerCase() === name.toLowerCase())
    if (taken !== undefined) return refused(`the name ${taken} is taken`)
    const shared = sharedPartial(workspace, manifest!, use.name)
    if (shared !== null) {
      const path = relative(workspace.folders.root, shared)
      return refused(`${path} reads @${use.name} for other manifests too; rename the parameter by hand`)
    }
    const changes: Record<string, TextEdit[]> = {}
    for (const one of usesIn(workspace, manifest!, use.name)) {
      const uri = uris.of(one.file)
      changes[uri] = [...(changes[uri] ?? []), { range: rangeOfUse(one), newText: name }]
    }
    return { changes }
  })
  connection.onDocumentSymbol(({ textDocument }) => {
    const view = viewOf(textDocument.uri)
    return view ? [...symbolsOf(view)] : []
  })
  connection.onCodeAction(({ textDocument, range }): CodeAction[] => {
    const file = pathOf(textDocument.uri)
    const owner = file === null ? null : workspaces.owner(file)
    return owner ? [...codeActions(textDocument.uri, range, owner.published.of(file!))] : []
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
