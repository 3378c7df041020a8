/** DuckDB SQL of digests and fingerprints. DuckDB returns digests as hexadecimal text. */
import type { SqlWriter, SqlWriters, WriterCall } from './function-sql.js'

const digest =
  (name: string): SqlWriter =>
  call =>
    `unhex(${name}(${call.sql[0]}))`
const bytes = (call: WriterCall): string =>
  call.args[0]!.type.kind === 'BYTES' ? call.sql[0]! : `encode(${call.sql[0]})`

export const HASH_WRITERS: SqlWriters = {
  FARM_FINGERPRINT: call => `bq_farm_fingerprint(${bytes(call)})`,
  MD5: digest('md5'),
  SHA1: digest('sha1'),
  SHA256: digest('sha256'),
  SHA512: call => `bq_sha512(${bytes(call)})`,
}
