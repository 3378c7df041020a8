/** The time from an edit of one manifest among many to its diagnostics, in the language server and under `serve --watch`. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node'

export interface ManyFolders {
  readonly endpoints: string
  readonly tables: string
  readonly data: string
}

const EDITS = 20
/** The wait until the language server has checked every manifest once, in milliseconds. */
const WARM_UP_MS = 30_000
const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1]!

/** A manifest with `COUNT(*)`, which the benchmark edits into a mistake. */
function countingManifest(endpoints: string): { readonly file: string; readonly text: string } {
  const files = readdirSync(endpoints).filter(name => name.endsWith('.yaml'))
  const file = join(endpoints, files.find(name => readFileSync(join(endpoints, name), 'utf8').includes('COUNT(*)'))!)
  return { file, text: readFileSync(file, 'utf8') }
}

/** The median of the milliseconds until the diagnostics of an edit are there, with all manifests checked before. */
export async function editInEditor(program: readonly string[], folders: ManyFolders): Promise<number> {
  const { endpoints, tables, data } = folders
  const { file, text } = countingManifest(endpoints)
  const uri = pathToFileURL(file).href
  const child = spawn(process.execPath, [...program, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  let published: (version: number | undefined) => void = () => {}
  connection.onNotification(PublishDiagnosticsNotification.type, told => {
    if (told.uri === uri) published(told.version)
  })
  connection.listen()
  const rootUri = pathToFileURL(join(endpoints, '..')).href
  const initializationOptions = { endpoints, tables, data }
  await connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri,
    capabilities: {},
    initializationOptions,
  })
  await connection.sendNotification(InitializedNotification.type, {})
  const textDocument = { uri, languageId: 'yaml', version: 1, text }
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument })
  await new Promise(resolve => setTimeout(resolve, WARM_UP_MS))
  const times: number[] = []
  for (let version = 2; version < EDITS + 2; version += 1) {
    const edited = text.replace('COUNT(*)', version % 2 === 0 ? 'COUNTT(*)' : 'COUNT(*)')
    const told = new Promise<void>(resolve => {
      published = seen => seen === version && resolve()
    })
    const began = performance.now()
    const contentChanges = [{ text: edited }]
    await connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges,
    })
    await told
    times.push(performance.now() - began)
  }
  await connection.sendRequest(ShutdownRequest.type)
  await connection.sendNotification(ExitNotification.type)
  await new Promise(resolve => child.once('exit', resolve))
  connection.dispose()
  return median(times)
}

/** The median of the milliseconds that `serve --watch` takes to load an edit, once it has seen it. */
export async function editUnderWatch(program: readonly string[], folders: ManyFolders): Promise<number> {
  const { endpoints, tables, data } = folders
  const { file, text } = countingManifest(endpoints)
  const flags = ['--port', '0', '--endpoints', endpoints, '--tables', tables, '--data', data, '--watch']
  const child = spawn(process.execPath, [...program, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SLUICE_TOKEN: 'benchmark-token-of-32-characters' },
  })
  const lines: ((line: string) => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      for (const take of [...lines]) take(line)
    })
  }
  const lineWith = (part: string): Promise<string> =>
    new Promise(resolve => {
      const take = (line: string): void => {
        if (!line.includes(part)) return
        lines.splice(lines.indexOf(take), 1)
        resolve(line)
      }
      lines.push(take)
    })
  await lineWith('ready http')
  const times: number[] = []
  for (let i = 0; i < 5; i += 1) {
    const reloaded = lineWith('manifests.reloaded')
    writeFileSync(file, text.replace('COUNT(*)', `COUNT(*) + ${i}`))
    times.push((JSON.parse(await reloaded) as { durationMs: number }).durationMs)
  }
  writeFileSync(file, text)
  child.kill('SIGTERM')
  await new Promise(resolve => child.once('exit', resolve))
  return median(times)
}
