/** What completion items have in common. */
import type { Range } from 'vscode-languageserver'

/** The protocol's kinds of completion items. */
export const KIND = {
  function: 3,
  field: 5,
  variable: 6,
  module: 9,
  value: 12,
  keyword: 14,
  file: 17,
  constant: 21,
  struct: 22,
} as const
/** Makes the range of template offsets that an item replaces. */
export type RangeOf = (from: number, to: number) => Range

export const markdown = (value: string): { kind: 'markdown'; value: string } => ({ kind: 'markdown', value })
