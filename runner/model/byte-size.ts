/** Sizes in bytes as authors and operators write them: `100 GB`, `64MiB`. */

const BYTES_PER: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
}

/** The largest size accepted: a larger one is a mistaken unit. */
export const MAX_BYTE_SIZE = 1_000 * 2 ** 40

/** The accepted spellings of a size, for messages. */
export const BYTE_SIZE_FORM =
  'a number of bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB, more than 0 and at most 1000 TiB'

/** Bytes, from 1 to 1000 TiB: `1000`, `100 GB`, `64MiB`; undefined for anything else, 0 too. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d{1,16}) ?(B|[kKMGT]B|[KMGT]iB)?$/.exec(text)
  if (!match) return undefined
  const [, digits, unit] = match
  const bytes = Number(digits) * BYTES_PER[(unit ?? 'B').toUpperCase()]!
  return bytes >= 1 && bytes <= MAX_BYTE_SIZE ? bytes : undefined
}
