/** An editor for tests: it starts the built `sluice lsp` and speaks to it over standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type CodeAction,
  CodeActionRequest,
  type CompletionItem,
  CompletionRequest,
  ConfigurationRequest,
  createProtocolConnection,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidChangeWorkspaceFoldersNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExitNotification,
  type Hover,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type Location,
  PrepareRenameRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type Range,
  ReferencesRequest,
  RegistrationRequest,
  RenameRequest,
  ShutdownRequest,
  type SignatureHelp,
  SignatureHelpRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceEdit,
} from 'vscode-languageserver/node'

/** A folder of files for one editor. */
export interface Folder {
  readonly path: string
  readonly write: (file: string, text: string) => void
  readonly uri: (file?: string) => string
  readonly remove: () => void
}

export function makeFolder(files: Readonly<Record<string, string>>): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-lsp-')))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  for (const [file, text] of Object.entries(files)) write(file, text)
  return {
    path,
    write,
    uri: (file = '') => pathToFileURL(join(path, file)).href,
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Many times what the slowest check takes on a busy machine. */
const PATIENCE_MS = 100_000

export interface EditorOptions {
  /** The folders that the editor has open; none for a single file. */
  readonly folders: readonly Folder[]
  readonly argv?: readonly string[]
  /** Another program than `sluice lsp`, with its arguments. */
  readonly program?: readonly string[]
  /** What the editor answers to `workspace/configuration`, by section; without it the editor cannot be asked. */
  readonly settings?: Readonly<Record<string, object>>
  readonly cwd?: string
  readonly initializationOptions?: object
  readonly hasSnippets?: boolean
}

/** A place in an open document: a text around it, with `|` at the cursor where it is not at the end; or an offset. */
export type Where = readonly [uri: string, text: string | number]

export class Editor {
  readonly #child: ChildProcess
  readonly #connection: ProtocolConnection
  readonly #texts = new Map<string, { text: string; version: number }>()
  readonly #diagnostics = new Map<string, { version: number | undefined; diagnostics: readonly Diagnostic[] }>()
  readonly #listeners = new Set<() => void>()
  readonly #ended: Promise<number | null>
  stderr = ''

  static async start(options: EditorOptions): Promise<Editor> {
    const editor = new Editor(options)
    await editor.#initialize(options)
    return editor
  }

  private constructor({ argv = [], cwd, folders, program, settings = {} }: EditorOptions) {
    this.#child = spawn(process.execPath, [...(program ?? [resolve('dist/cli/main.js'), 'lsp', ...argv])], {
      cwd: cwd ?? folders[0]?.path,
      env: { PATH: process.env['PATH'] },
    })
    this.#ended = new Promise(ended => this.#child.once('exit', ended))
    this.#child.stderr!.on('data', (data: Buffer) => {
      this.stderr += data
    })
    this.#connection = createProtocolConnection(
      new StreamMessageReader(this.#child.stdout!),
      new StreamMessageWriter(this.#child.stdin!),
    )
    this.#connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
      this.#diagnostics.set(uri, { version, diagnostics })
      for (const listener of this.#listeners) listener()
    })
    this.#connection.onRequest(ConfigurationRequest.type, ({ items }) =>
      items.map(({ section = '' }) => settings[section] ?? null),
    )
    this.#connection.onRequest(RegistrationRequest.type, () => {})
    this.#connection.listen()
  }

  async #initialize({ folders, initializationOptions, hasSnippets = false, settings }: EditorOptions): Promise<void> {
    await this.#connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: folders[0]?.uri() ?? null,
      workspaceFolders: folders.length > 0 ? folders.map(folder => ({ uri: folder.uri(), name: 'test' })) : null,
      capabilities: {
        workspace: { workspaceFolders: true, configuration: settings !== undefined },
        textDocument: { completion: { completionItem: { snippetSupport: hasSnippets } } },
      },
      initializationOptions,
    })
    await this.#connection.sendNotification(InitializedNotification.type, {})
  }

  async open(uri: string, text: string): Promise<void> {
    this.#texts.set(uri, { text, version: 1 })
    await this.#connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    })
  }

  /** Replaces the first occurrence of a text, and returns the version of the document. */
  async edit(uri: string, before: string, after: string): Promise<number> {
    const { text, version } = this.#texts.get(uri)!
    const at = text.indexOf(before)
    if (at < 0) throw new TypeError(`no ${before} in ${text}`)
    this.#texts.set(uri, { text: text.slice(0, at) + after + text.slice(at + before.length), version: version + 1 })
    await this.#connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: version + 1 },
      contentChanges: [
        { range: { start: positionOf(text, at), end: positionOf(text, at + before.length) }, text: after },
      ],
    })
    return version + 1
  }

  async save(uri: string): Promise<void> {
    await this.#connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument: { uri } })
  }

  async close(uri: string): Promise<void> {
    this.#texts.delete(uri)
    await this.#connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } })
  }

  async closeAll(): Promise<void> {
    for (const uri of [...this.#texts.keys()]) await this.close(uri)
  }

  async changeFolders(added: readonly Folder[], removed: readonly Folder[]): Promise<void> {
    const named = (folder: Folder) => ({ uri: folder.uri(), name: 'test' })
    await this.#connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
      event: { added: added.map(named), removed: removed.map(named) },
    })
  }

  /** Waits until the file's diagnostics fit; the messages that it has at last where they never do. */
  async diagnostics(
    uri: string,
    fits: (diagnostics: readonly Diagnostic[], version: number | undefined) => boolean,
  ): Promise<readonly Diagnostic[]> {
    const known = (): readonly Diagnostic[] | null => {
      const found = this.#diagnostics.get(uri)
      return found && fits(found.diagnostics, found.version) ? found.diagnostics : null
    }
    return (
      known() ??
      new Promise((resolveWith, reject) => {
        const timer = setTimeout(() => {
          this.#listeners.delete(listener)
          const told = JSON.stringify(
            [...this.#diagnostics].map(([at, one]) => [at, one.diagnostics.map(d => d.message)]),
          )
          reject(new TypeError(`the diagnostics of ${uri} never fit: ${told} ${this.stderr}`))
        }, PATIENCE_MS)
        const listener = (): void => {
          const found = known()
          if (found === null) return
          clearTimeout(timer)
          this.#listeners.delete(listener)
          resolveWith(found)
        }
        this.#listeners.add(listener)
      })
    )
  }

  /** `line:column message`, 1-based. */
  async messages(uri: string, fits: (messages: readonly string[]) => boolean): Promise<readonly string[]> {
    const shown = (found: readonly Diagnostic[]): readonly string[] =>
      found.map(({ range: { start }, message }) => `${start.line + 1}:${start.character + 1} ${message}`)
    return shown(await this.diagnostics(uri, found => fits(shown(found))))
  }

  #at([uri, marked]: Where) {
    const { text } = this.#texts.get(uri)!
    if (typeof marked === 'number') return { textDocument: { uri }, position: positionOf(text, marked) }
    const cursor = marked.includes('|') ? marked.indexOf('|') : marked.length
    const plain = marked.replace('|', '')
    const at = text.indexOf(plain)
    if (at < 0) throw new TypeError(`no ${plain} in ${text}`)
    return { textDocument: { uri }, position: positionOf(text, at + cursor) }
  }

  async complete(where: Where): Promise<readonly CompletionItem[]> {
    const found = await this.#connection.sendRequest(CompletionRequest.type, this.#at(where))
    return Array.isArray(found) ? found : (found?.items ?? [])
  }

  async labels(where: Where): Promise<readonly string[]> {
    return (await this.complete(where)).map(({ label }) => label)
  }

  hover(where: Where): Promise<Hover | null> {
    return this.#connection.sendRequest(HoverRequest.type, this.#at(where))
  }

  async definition(where: Where): Promise<Location | null> {
    return (await this.#connection.sendRequest(DefinitionRequest.type, this.#at(where))) as Location | null
  }

  async references(where: Where): Promise<readonly Location[]> {
    const context = { includeDeclaration: true }
    return (await this.#connection.sendRequest(ReferencesRequest.type, { ...this.#at(where), context })) ?? []
  }

  signature(where: Where): Promise<SignatureHelp | null> {
    return this.#connection.sendRequest(SignatureHelpRequest.type, this.#at(where))
  }

  async rename(where: Where, newName: string): Promise<WorkspaceEdit | null> {
    return this.#connection.sendRequest(RenameRequest.type, { ...this.#at(where), newName })
  }

  prepareRename(where: Where) {
    return this.#connection.sendRequest(PrepareRenameRequest.type, this.#at(where))
  }

  async actions(uri: string, range: Range, diagnostics: readonly Diagnostic[]): Promise<readonly CodeAction[]> {
    const context = { diagnostics: [...diagnostics] }
    const found = await this.#connection.sendRequest(CodeActionRequest.type, { textDocument: { uri }, range, context })
    return (found ?? []) as CodeAction[]
  }

  /** The document after these edits. */
  applied(uri: string, { changes = {} }: WorkspaceEdit, text = this.#texts.get(uri)?.text ?? ''): string {
    const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
    const edits = (changes[uri] ?? []).map(({ range, newText }) => ({
      from: starts[range.start.line]! + range.start.character,
      to: starts[range.end.line]! + range.end.character,
      newText,
    }))
    return edits
      .sort((a, b) => b.from - a.from)
      .reduce((before, { from, to, newText }) => before.slice(0, from) + newText + before.slice(to), text)
  }

  /** Ends the server as an editor does; resolves to its exit code. */
  async end(): Promise<number | null> {
    await this.#connection.sendRequest(ShutdownRequest.type)
    await this.#connection.sendNotification(ExitNotification.type)
    const code = await this.#ended
    this.#connection.dispose()
    return code
  }

  /** Closes the streams, as an editor that crashes; resolves to the server's exit code. */
  async crash(): Promise<number | null> {
    this.#child.stdin!.end()
    const code = await this.#ended
    this.#connection.dispose()
    return code
  }

  get childId(): number {
    return this.#child.pid!
  }
}

function positionOf(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length - 1, character: offset - before.lastIndexOf('\n') - 1 }
}
