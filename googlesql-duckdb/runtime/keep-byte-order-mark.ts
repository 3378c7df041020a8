/**
 * Makes the driver return complete texts: its decoder drops a U+FEFF at the start of a text, where it is an ordinary
 * character.
 */
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js'

/** Replaces the driver's decoder for all values that this process reads from DuckDB: the driver has no setting for it. */
export function keepByteOrderMark(): void {
  const whole = new TextDecoder('utf-8', { ignoreBOM: true })
  textDecoder.decode = whole.decode.bind(whole)
}
