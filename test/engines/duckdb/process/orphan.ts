/** A parent that is going to be killed: opens an engine in the folder it is told and says its child's process id. */
import { openRawEngine } from '../raw-engine.js'

const raw = await openRawEngine({ tempDir: process.argv[2]! })
process.send?.(raw.engine.pid())
