/** The results of tool calls: rows, and mistakes. */
import type { RunnerError } from '../model/errors.js'

/** Where all rows of a result can be fetched. */
export interface FullResult {
  readonly uri: string
  readonly name: string
}

/** The result of a call of a tool. */
export interface ToolAnswer {
  /** The JSON of the rows, or what is wrong. */
  readonly text: string
  readonly isMistake: boolean
  /** Null where nothing is left out. */
  readonly link: FullResult | null
}

export const rowsAnswer = (json: string, link: FullResult | null): ToolAnswer => ({
  text: json,
  isMistake: false,
  link,
})

/** An answer about a mistake that the model can correct, or about a failure that it can report. */
export const mistakeAnswer = (text: string): ToolAnswer => ({ text, isMistake: true, link: null })

/** What is wrong with a call, with every bad argument. */
export const mistakeText = ({ detail, errors }: Pick<RunnerError, 'detail' | 'errors'>): string =>
  [detail, ...errors.map(({ parameter, detail: why }) => `${parameter}: ${why}`)].join('\n')
