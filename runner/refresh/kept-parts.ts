/** The parts of a table as one short text, since there may be thousands of them beside few rows. */
import type { TablePart } from '../model/query.js'

/** Digits and letters. */
const BASE = 36
/** More seconds than from the year 1 to 9999. */
const MAX_SECONDS = 1e12

/** `1Zk_w0pRt3bA.t9k0w0.8c`: the key, the least time, and how much later the greatest is; without these two where they are not known. */
export const encodeParts = (parts: readonly TablePart[]): string =>
  parts
    .map(({ key, times }) => {
      if (times === undefined) return key
      return times === null ? `${key}.` : `${key}.${toText(times.least)}.${toText(times.greatest - times.least)}`
    })
    .join(',')

/** The times of a part are not known where the text says anything else. */
export const decodeParts = (text: string): readonly TablePart[] => (text === '' ? [] : text.split(',').map(decodePart))

function decodePart(text: string): TablePart {
  const [key = '', least, length] = text.split('.')
  if (least === '' && length === undefined) return { key, times: null }
  const [from, seconds] = [Number.parseInt(least ?? '', BASE), Number.parseInt(length ?? '', BASE)]
  const isKnown = Math.abs(from) < MAX_SECONDS && seconds >= 0 && seconds < MAX_SECONDS
  return isKnown ? { key, times: { least: from, greatest: from + seconds } } : { key }
}

const toText = (seconds: number): string => seconds.toString(BASE)
