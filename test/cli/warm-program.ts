/**
 * The program, loaded once for the commands of a page: they run one after the other in this process, by the same `run` of dist/
 * that dist/cli/main.js calls. A script asks over a socket, and is answered with a script that prints, in the same order to
 * the same streams, what the command printed, and ends with its exit code.
 */
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { run as Run } from '../../cli/program.js'
import { SILENT_IO } from '../../tools/silent-io.js'

export interface WarmProgram {
  /** Lines of bash that do what the program would do with the script's own arguments, folder and environment. */
  readonly script: string
  close(): void
}

/** `socket` is a path at which there is nothing yet. */
export async function openWarmProgram(socket: string): Promise<WarmProgram> {
  const { run } = (await import(pathToFileURL(resolve('dist/cli/program.js')).href)) as {
    readonly run: typeof Run
  }
  let earlier: Promise<unknown> = Promise.resolve()
  const server = createServer(async (request, response) => {
    const asked = Buffer.concat(await request.toArray()).toString()
    const answer = earlier.then(() => runAsked(asked, run))
    earlier = answer
    response.end(await answer)
  })
  await new Promise<void>(done => server.listen(socket, done))
  const words = `printf '%s\\0' "$PWD" "$#" "$@"; env -0`
  return {
    script: `eval "$({ ${words}; } | curl --silent --show-error --fail --data-binary @- --unix-socket '${socket}' http://warm || echo exit 70)"`,
    close: () => void server.close(),
  }
}

/** What the shell is to do. The words are the folder, how many arguments there are, the arguments, and then variables. */
async function runAsked(asked: string, run: typeof Run): Promise<Buffer> {
  const [folder, count, ...words] = asked.split('\0').slice(0, -1)
  const lines: string[] = []
  const printTo = (stream: 1 | 2) => (text: string | Uint8Array) =>
    void lines.push(`printf -- '${escaped(Buffer.from(text as Uint8Array))}' >&${stream}`)
  const own = process.cwd()
  process.chdir(folder!)
  try {
    const code = await run(words.slice(0, Number(count)), {
      ...SILENT_IO,
      environment: Object.fromEntries(words.slice(Number(count)).map(one => one.split(/=(.*)/s, 2))),
      print: printTo(1),
      printError: printTo(2),
    })
    return Buffer.from([...lines, `exit ${code}`].join('\n'), 'latin1')
  } finally {
    process.chdir(own)
  }
}

/** As `printf` of bash takes any bytes as its format, in single quotes. */
const escaped = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\0'%\\]/g, one => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
