/** Makes the driver give texts whole: its decoder drops a U+FEFF that stands first, which is a character like any other. */
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js'

/** For all values that this process reads from DuckDB; the driver has no setting for it. */
export function keepByteOrderMark(): void {
  const whole = new TextDecoder('utf-8', { ignoreBOM: true })
  textDecoder.decode = whole.decode.bind(whole)
}
