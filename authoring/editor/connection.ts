/** The connection to the editor, over two streams. */
import type { Readable, Writable } from 'node:stream'
import { type Connection, createConnection, ProposedFeatures } from 'vscode-languageserver/node'

/** Ends the process when the editor says `exit`, or closes its stream. */
export const connectEditor = (input: Readable, output: Writable): Connection =>
  createConnection(ProposedFeatures.all, input, output)
