/** The call that a snippet repeats, and the tool that it is written for. Everything in this folder runs in a browser, too. */
import type { PublishedEndpoint } from '../../runner/model/published-endpoint.js'

/** A call that a snippet repeats. */
export interface ConnectCall {
  /** The server's origin, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly endpoint: PublishedEndpoint
  /** Argument texts by parameter; a list for an array. Empty texts, and parameters that the token pins, are left out. */
  readonly arguments: Readonly<Record<string, string | readonly string[]>>
}

/** A tool that can call endpoints, and the text that makes it do so. */
export interface ConnectTool {
  /** As in `sluice connect <name>`. */
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** The language of the text, for highlighting. */
  readonly language: 'shell' | 'javascript' | 'typescript' | 'python' | 'sql' | 'yaml' | 'powerquery' | 'json'
  /** The text, which reads the token from the environment or the tool's own secret store, with a line end at its end. */
  readonly write: (call: ConnectCall) => string
}
