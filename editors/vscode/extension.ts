/** Sluice in VS Code: a client of `sluice lsp`, and a command that runs the endpoint of the open manifest. */
import * as vscode from 'vscode'
import { LanguageClient } from 'vscode-languageclient/node'
import { callOf, endpointIn, type Folders, folderOf } from './call'

let client: LanguageClient | undefined

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('sluice.run', (uri?: vscode.Uri) => run(context.workspaceState, uri)),
    vscode.commands.registerCommand('sluice.restart', restart),
    vscode.languages.registerCodeLensProvider({ scheme: 'file', language: 'yaml' }, { provideCodeLenses }),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('sluice.command')) void restart()
    }),
  )
  await restart()
}

export async function deactivate(): Promise<void> {
  await client?.dispose()
  client = undefined
}

const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('sluice')

/** The program and the words before its command. */
function program(): readonly [string, ...string[]] {
  const [first = 'npx', ...rest] = settings().get<string[]>('command') ?? []
  return [first, ...rest]
}

async function restart(): Promise<void> {
  await deactivate()
  const [command, ...args] = program()
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath
  // npx is a script on Windows, which only a shell starts.
  const options = { ...(cwd !== undefined && { cwd }), shell: process.platform === 'win32' }
  const started = new LanguageClient(
    'sluice',
    'Sluice',
    { command, args: [...args, 'lsp', '--stdio'], options },
    { documentSelector: ['yaml', 'sql', 'json'].map(language => ({ scheme: 'file', language })) },
  )
  client = started
  try {
    await started.start()
  } catch {
    const words = [command, ...args].join(' ')
    void vscode.window.showErrorMessage(
      `"${words} lsp" did not start. Install Sluice in this folder (npm install), or set sluice.command; then run "Sluice: Restart the language server".`,
    )
  }
}

/** "Run this endpoint", above the line with its name. */
function provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const endpoint = isManifest(document) ? endpointIn(document.getText()) : null
  if (endpoint === null) return []
  const command = { title: '$(play) Run this endpoint', command: 'sluice.run', arguments: [document.uri] }
  return [new vscode.CodeLens(new vscode.Range(endpoint.line, 0, endpoint.line, 0), command)]
}

function isManifest({ uri, fileName }: vscode.TextDocument): boolean {
  if (fileName.endsWith('.test.yaml')) return false
  const { endpoints } = foldersOf(uri)
  return endpoints ? fileName.includes(endpoints) : folderOf(fileName) !== null
}

function foldersOf(uri: vscode.Uri): Folders {
  const { endpoints, tables, functions, data } = vscode.workspace.getConfiguration('sluice', uri) as Folders
  return {
    ...(endpoints && { endpoints }),
    ...(tables && { tables }),
    ...(functions && { functions }),
    ...(data && { data }),
  }
}

/** Asks for arguments, and runs `sluice call` in a terminal. */
async function run(remembered: vscode.Memento, given?: vscode.Uri): Promise<void> {
  const uri = given ?? vscode.window.activeTextEditor?.document.uri
  const document = uri && (await vscode.workspace.openTextDocument(uri))
  const endpoint = document && endpointIn(document.getText())
  if (!document || !endpoint) {
    void vscode.window.showErrorMessage('Open a manifest: a YAML file with the name of an endpoint.')
    return
  }
  const key = `arguments of ${document.fileName}`
  const line = await vscode.window.showInputBox({
    title: endpoint.name,
    prompt: 'Arguments, such as country=DE top=3; empty for none',
    value: remembered.get<string>(key, ''),
  })
  if (line === undefined) return
  await remembered.update(key, line)
  await document.save()
  const folders = foldersOf(document.uri)
  const root = vscode.workspace.getWorkspaceFolder(document.uri)
  const cwd = (folders.endpoints ? null : folderOf(document.fileName)) ?? root?.uri.fsPath
  const [command, ...args] = program()
  // VS Code quotes each word for the shell.
  const words = [...args, ...callOf(endpoint.name, line, folders)].map(value => ({
    value,
    quoting: vscode.ShellQuoting.Strong,
  }))
  const execution = new vscode.ShellExecution(command, words, cwd === undefined ? {} : { cwd })
  const task = new vscode.Task(
    { type: 'shell' },
    root ?? vscode.TaskScope.Workspace,
    endpoint.name,
    'sluice',
    execution,
  )
  task.presentationOptions = { clear: true }
  await vscode.tasks.executeTask(task)
}
