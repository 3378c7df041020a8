/** A named pipe in a file's place. */
import { execFileSync, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** Makes the pipe in place of a file. A program that reads it gets this text each time. The returned function removes it. */
export function makePipe(path: string, text: string): () => void {
  rmSync(path, { force: true })
  execFileSync('mkfifo', ['-m', '600', path])
  const writer = spawn('sh', ['-c', 'while printf %s "$1" >"$0"; do :; done', path, text], { stdio: 'ignore' })
  return () => {
    writer.kill()
    rmSync(path, { force: true })
  }
}
