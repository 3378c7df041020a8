/** The results of tool calls: rows, and mistakes. */
import type { RunnerError } from '../model/errors.js'
import { rawJson } from './raw-json.js'

/** Where all rows of a result can be fetched. */
export interface FullResult {
  readonly uri: string
  readonly name: string
}

/** A result of `tools/call`. */
export interface ToolAnswer {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string }
  )[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
}

/**
 * The same JSON as text and as structured content: some clients show a model the one, some the other.
 * @param link null where nothing is left out, or the client knows no links
 */
export function rowsAnswer(json: string, link: FullResult | null): ToolAnswer {
  const text = { type: 'text', text: json } as const
  const linked = link && ({ type: 'resource_link', ...link, mimeType: 'text/csv' } as const)
  return { content: linked ? [text, linked] : [text], structuredContent: rawJson(json) }
}

/** An answer about a mistake that the model can correct, or about a failure that it can report. */
export const mistakeAnswer = (text: string): ToolAnswer => ({ content: [{ type: 'text', text }], isError: true })

/** What is wrong with a call, with every bad argument. */
export const mistakeText = ({ detail, errors }: Pick<RunnerError, 'detail' | 'errors'>): string =>
  [detail, ...errors.map(({ parameter, detail: why }) => `${parameter}: ${why}`)].join('\n')
