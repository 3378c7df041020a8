/** `sluice lsp`, the language server for editors: hands each message of the protocol to the workspace and the feature that answer it. */
import { Writable } from 'node:stream'
import {
  type Connection,
  createConnection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  ProposedFeatures,
  ResponseError,
  type ServerCapabilities,
  TextDocumentSyncKind,
  type TextEdit,
} from 'vscode-languageserver/node'
import { isRecord } from '../../runner/model/is-record.js'
import { ownPackage } from '../../runner/platform/own-package.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { Io } from '../terminal/io.js'
import { codeActions } from './features/code-actions.js'
import { completionItems } from './features/completion.js'
import { markdown } from './features/items.js'
import { nameAtCursor } from './features/name-at-cursor.js'
import { usesIn } from './features/parameter-uses.js'
import { renamedUses } from './features/rename.js'
import { signatureHelp } from './features/signature-help.js'
import type { FolderNames } from './folders.js'
import { EditorSession, parameterUseAt, pathOf, sqlRange } from './session.js'

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: ['.', '@', '{', '>', '`', '='] },
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
}
/** The protocol's code of a request that cannot be answered. */
const REQUEST_FAILED = -32803

/** Serves one editor over standard input and output; the process ends when the editor says `exit`, or closes its stream. */
export function serveEditor(settings: Settings, io: Io): Promise<never> {
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      io.print(chunk)
      done()
    },
  })
  const connection = createConnection(ProposedFeatures.all, io.standardInput(), output)
  const session = new EditorSession(connection, settings)
  const { documents, workspaces } = session
  let roots: readonly string[] = []
  connection.onInitialize(async params => {
    session.client = params.capabilities
    await workspaces.rename(namesIn(params.initializationOptions, workspaces.names))
    const uris = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : [])
    roots = uris.flatMap(uri => pathOf(uri) ?? [])
    return { serverInfo: { name: 'sluice', version: ownPackage().version }, capabilities: CAPABILITIES }
  })
  connection.onInitialized(async () => {
    for (const root of roots) workspaces.add(root)
    session.openAll()
    await followClient(connection, session)
  })
  // Called when a document is opened, too.
  documents.onDidChangeContent(({ document }) => session.open(document))
  documents.onDidSave(({ document }) => session.ownerOf(document.uri)?.workspace.rescan())
  documents.onDidClose(({ document }) => session.close(document))
  answerAboutSql(connection, session)
  answerAboutParameters(connection, session)
  connection.onCodeAction(({ textDocument: { uri }, range }) => {
    const owner = session.ownerOf(uri)
    return owner ? [...codeActions(uri, range, owner.workspace.publisher.lastSent(owner.file))] : []
  })
  connection.onShutdown(() => workspaces.close())
  documents.listen(connection)
  connection.listen()
  return new Promise<never>(() => {})
}

/** Follows changes of the client's folders, files and settings, as far as the client reports them. */
async function followClient(connection: Connection, session: EditorSession): Promise<void> {
  const { workspaces, client } = session
  const useSettings = async (settings: unknown): Promise<void> => {
    await workspaces.rename(namesIn(settings, workspaces.names))
    session.openAll()
  }
  const readSettings = async (): Promise<void> =>
    useSettings(await connection.workspace.getConfiguration('sluice').catch(() => null))
  connection.onDidChangeConfiguration(({ settings }: { settings: unknown }) =>
    client.workspace?.configuration ? readSettings() : useSettings(isRecord(settings) ? settings['sluice'] : null),
  )
  connection.onDidChangeWatchedFiles(() => {
    for (const workspace of workspaces.all()) workspace.rescan()
  })
  if (client.workspace?.workspaceFolders) {
    connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
      for (const { uri } of removed) await workspaces.remove(pathOf(uri) ?? '')
      for (const { uri } of added) if (pathOf(uri) !== null) workspaces.add(pathOf(uri)!)
      session.openAll()
    })
  }
  if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration) {
    const watchers = [{ globPattern: '**/*.{yaml,yml,sql,json}' }]
    await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers })
  }
  if (client.workspace?.didChangeConfiguration?.dynamicRegistration) {
    await connection.client.register(DidChangeConfigurationNotification.type, { section: 'sluice' })
  }
  if (client.workspace?.configuration) await readSettings()
}

function answerAboutSql(connection: Connection, session: EditorSession): void {
  connection.onCompletion(async params => {
    const position = await session.positionOf(params)
    if (!position?.cursor) return []
    const hasSnippets = session.client.textDocument?.completion?.completionItem?.snippetSupport === true
    return [...completionItems(position.cursor, (from, to) => sqlRange(position, from, to), hasSnippets)]
  })
  connection.onSignatureHelp(async params => {
    const position = await session.positionOf(params)
    return position?.cursor ? signatureHelp(position.cursor) : null
  })
  connection.onHover(async params => {
    const position = await session.positionOf(params)
    const name = position?.cursor && nameAtCursor(position.cursor)
    return name?.text ? { contents: markdown(name.text), range: sqlRange(position!, name.from, name.to) } : null
  })
  connection.onDefinition(async params => {
    const position = await session.positionOf(params)
    const place = position?.cursor && nameAtCursor(position.cursor)?.place
    if (place) return session.locationOf(place)
    // `by:` and `tenant:` name a parameter outside the SQL.
    const use = position?.cursor === null ? parameterUseAt(position) : null
    const source = position?.view.manifest?.source
    return use && source ? session.locationOf(source.keyAt(['parameters', use.name])) : null
  })
}

function answerAboutParameters(connection: Connection, session: EditorSession): void {
  connection.onReferences(async params => {
    const position = await session.positionOf(params)
    const use = parameterUseAt(position)
    const uses = use ? usesIn(position!.view.workspace, position!.view.manifest!, use.name) : []
    return uses.map(use => ({ uri: session.uriOf(use.file), range: session.rangeOf(use) }))
  })
  connection.onPrepareRename(async params => {
    const use = parameterUseAt(await session.positionOf(params))
    return use ? { range: session.rangeOf(use), placeholder: use.name } : null
  })
  connection.onRenameRequest(async params => {
    const position = await session.positionOf(params)
    const use = parameterUseAt(position)
    if (!use) return new ResponseError(REQUEST_FAILED, 'only parameters can be renamed')
    // An editor may give the name as it stands in SQL.
    const newText = params.newName.replace(/^@/, '')
    const uses = renamedUses(position!.view, use.name, newText)
    if (typeof uses === 'string') return new ResponseError(REQUEST_FAILED, uses)
    const changes: Record<string, TextEdit[]> = {}
    for (const use of uses) {
      const uri = session.uriOf(use.file)
      changes[uri] = [...(changes[uri] ?? []), { range: session.rangeOf(use), newText }]
    }
    return { changes }
  })
}

/** The names of the folders, with those that the settings change. */
function namesIn(settings: unknown, names: FolderNames): FolderNames {
  const entries = Object.entries(isRecord(settings) ? settings : {})
  const valid = entries.filter(([key, name]) => Object.hasOwn(names, key) && typeof name === 'string' && name !== '')
  return { ...names, ...Object.fromEntries(valid) }
}
