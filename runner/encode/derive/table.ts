/** JSON with the columns and their types beside the rows, each of which is an array in column order. */
import type { ResultColumn } from '../../model/query.js'
import { CLOSE_LIST, COMMA, OPEN_LIST } from '../json-reader.js'
import { ByteWriter } from './byte-writer.js'
import type { ResultFacts } from './facts.js'
import { ResultReader } from './result-reader.js'

/** @throws JsonTextError, BodyTooLargeError. */
export function toTable(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array {
  const reader = new ResultReader(json)
  const head = `{"columns":${JSON.stringify(columns.map((column, i) => described(column, facts.contract?.[i]?.unit ?? null)))},"rows":[`
  const out = new ByteWriter(json.byteLength + head.length, facts.maxBytes)
  out.text(head)
  for (let isFirst = true; reader.hasRow(); isFirst = false) {
    if (!isFirst) out.byte(COMMA)
    out.byte(OPEN_LIST)
    for (let i = 0; i < columns.length; i++) {
      if (i > 0) out.byte(COMMA)
      reader.toMember(i)
      reader.next()
      const start = reader.at
      reader.skipValue()
      out.range(reader.bytes, start, reader.at)
    }
    reader.closeObject(columns.length)
    out.byte(CLOSE_LIST)
  }
  // Pages have no cursor yet.
  out.text(`],"truncated":${facts.isTruncated},"next":null}`)
  return out.take()
}

const described = ({ name, type }: ResultColumn, unit: string | null): object => ({
  name,
  type,
  ...(unit !== null && { unit }),
})
