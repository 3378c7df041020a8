/** Reads whole files that another program may exchange for something else. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * The text of an ordinary file. `check` sees the file that is open, whatever its name refers to now, and may refuse it.
 * @throws TypeError for a pipe, a device or a socket; what the system and `check` throw.
 */
export function readOrdinaryFile(path: string, check: (stats: Stats) => void = () => {}): string {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() && !stats.isDirectory()) throw new TypeError('it is not an ordinary file')
    check(stats)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
