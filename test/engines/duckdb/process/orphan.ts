/**
 * A parent process that a test kills: opens an engine in the given folder and prints the process id of the engine's child.
 */
import { openRawEngine } from '../raw-engine.js'

const raw = await openRawEngine({ tempDir: process.argv[2]! })
process.send?.(raw.engine.pid())
