/** Numbers of bytes as people write them. */

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

/** Bytes: `1000`, `100 GB`, `64MiB`; undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d{1,15}) ?(B|[kKMGT]B|[KMGT]iB)?$/.exec(text)
  if (!match) return undefined
  const [, digits, unit] = match
  return Number(digits) * BYTES_PER[(unit ?? 'B').toUpperCase()]!
}
