/** Decompresses gzip and zstd, and checks that a compressed file is complete. */
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import zlib, { createGunzip } from 'node:zlib'
import { QueryFault } from '../../../model/query-fault.js'

export type Compression = 'uncompressed' | 'gzip' | 'zstd'

const CHUNK_BYTES = 1 << 20

/** A stream of the file's bytes. An error before the first read does not end the process: the reader gets it. */
export const openFile = (path: string): Readable =>
  createReadStream(path, { highWaterMark: CHUNK_BYTES }).on('error', () => {})

/** The decompressed bytes in chunks. @throws the error of the stream or of the decompressor. */
export function decompressed(raw: Readable, compression: Compression): AsyncIterable<Buffer> {
  if (compression === 'uncompressed') return raw
  return compression === 'gzip' ? throughTransform(raw, createGunzip({ chunkSize: CHUNK_BYTES })) : unzstd(raw)
}

/**
 * Reads a compressed file to its end, since DuckDB reads a truncated file as a shorter one and does not verify gzip's
 * checksum. `name` is the file's name in the error.
 * @throws QueryFault when the file is truncated or corrupt.
 */
export async function expectWhole(
  name: string,
  { path, compression }: { readonly path: string; readonly compression: Compression },
): Promise<void> {
  if (compression === 'uncompressed') return
  try {
    for await (const _ of decompressed(openFile(path), compression));
  } catch (cause) {
    throw new QueryFault(`${name}: ${incompleteMessage(compression, (cause as Error).message)}`, { cause })
  }
}

/** A message for a compressed file that is cut off or corrupt. */
export const incompleteMessage = (compression: Compression, message: string): string =>
  `its ${compression} cannot be read to the end (${message})`

function throughTransform(
  raw: Readable | AsyncGenerator<Buffer>,
  transform: Readable & NodeJS.WritableStream,
): AsyncIterable<Buffer> {
  // `pipeline` closes both streams when one of them fails or is closed early. The reader of `transform` gets the error.
  return pipeline(raw, transform, () => {}) as unknown as AsyncIterable<Buffer>
}

type ZstdFactory = () => Readable & NodeJS.WritableStream

/** Decompresses zstd. Node.js can decompress zstd from version 22.15 on; older versions use JavaScript. */
function unzstd(raw: Readable): AsyncIterable<Buffer> {
  const native = (zlib as { createZstdDecompress?: ZstdFactory }).createZstdDecompress
  return native ? throughTransform(refuseEmpty(raw), native()) : unzstdInJavaScript(refuseEmpty(raw))
}

/** Refuses an empty file: no compressed file is empty, but both decompressors accept one. */
async function* refuseEmpty(raw: Readable): AsyncGenerator<Buffer> {
  let isEmpty = true
  for await (const chunk of raw) {
    isEmpty = false
    yield chunk as Buffer
  }
  if (isEmpty) throw new QueryFault('unexpected end of file')
}

async function* unzstdInJavaScript(raw: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd')
  const chunks: Buffer[] = []
  const decompress = new Decompress(chunk => void chunks.push(Buffer.from(chunk)))
  for await (const chunk of raw) {
    decompress.push(chunk)
    yield* chunks.splice(0)
  }
  decompress.push(new Uint8Array(0), true)
  yield* chunks
}
