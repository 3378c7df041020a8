/** Decodes the bytes of a file in another encoding to UTF-8. */
import type { TextEncoding } from '../../../../../googlesql/data.js'

export interface Decoder {
  /** The next bytes in UTF-8. @throws Error for bytes that this encoding does not have. */
  decode(chunk: Buffer): Buffer
  /** @throws Error where the file ends within a character. */
  end(): void
}

/** The decoder of an encoding; null for UTF-8, which needs none. */
export function decoderOf(encoding: TextEncoding): Decoder | null {
  switch (encoding) {
    case 'UTF-8':
      return null
    case 'ISO-8859-1':
      return { decode: chunk => Buffer.from(chunk.toString('latin1')), end: () => undefined }
    case 'Windows-1252':
      return { decode: chunk => Buffer.from(decodeWindows(chunk.toString('latin1'))), end: () => undefined }
    default: {
      const decoder = new TextDecoder(encoding, { fatal: true })
      return { decode: chunk => Buffer.from(decoder.decode(chunk, { stream: true })), end: () => void decoder.decode() }
    }
  }
}

/** The characters of the bytes 0x80 to 0x9f. Node.js decodes them as ISO-8859-1 in some versions (nodejs/node#56542). */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const decodeWindows = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, character => WINDOWS[character.charCodeAt(0) - 0x80]!)
