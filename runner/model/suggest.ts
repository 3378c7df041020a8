/** The word that was probably meant, and how a message proposes it. */
import { nearest } from '../../googlesql/data.js'

/** The end of a message about an unknown word, and the word that it proposes. */
export interface Proposal {
  readonly hint: string
  readonly meant?: string
}

/** `; did you mean "x"?`, or `otherwise` when no candidate is similar. */
export const didYouMean = (word: string, among: Iterable<string>, otherwise?: string): Proposal =>
  proposing(nearest(word, among), otherwise)

/** `; did you mean "x"?`, or `otherwise` without a word that was meant. */
export const proposing = (meant: string | undefined, otherwise = ''): Proposal =>
  meant === undefined ? { hint: otherwise } : { hint: `; did you mean "${meant}"?`, meant }
