/** Fingerprints and digests that DuckDB does not have. */
import { createHash } from 'node:crypto'
import { type ScalarFunction, scalar } from './scalar-function.js'

const K0 = 0xc3a5c85c97cb3127n
const K1 = 0xb492b66fbe98f273n
const K2 = 0x9ae16a3b2f90404fn

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, bits: bigint): bigint => u64((value >> bits) | (value << (64n - bits)))
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n)

function mix(u: bigint, v: bigint, multiplier: bigint): bigint {
  const a = shiftMix(u64((u ^ v) * multiplier))
  return u64(shiftMix(u64((v ^ a) * multiplier)) * multiplier)
}

/** FarmHash's Fingerprint64, which is its farmhashna::Hash64. */
function fingerprint64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const fetch64 = (offset: number): bigint => view.getBigUint64(offset, true)
  const size = bytes.length
  const length = BigInt(size)
  if (size <= 16) return hashUpTo16(bytes, view, length)
  if (size <= 32) return hashUpTo32(fetch64, size)
  if (size <= 64) return hashUpTo64(fetch64, size)
  return hashLonger(fetch64, size)
}

type Fetch64 = (offset: number) => bigint

function hashUpTo16(bytes: Uint8Array, view: DataView, length: bigint): bigint {
  const size = bytes.length
  const multiplier = u64(K2 + length * 2n)
  if (size >= 8) {
    const a = u64(view.getBigUint64(0, true) + K2)
    const b = view.getBigUint64(size - 8, true)
    const c = u64(rotate(b, 37n) * multiplier + a)
    const d = u64((rotate(a, 25n) + b) * multiplier)
    return mix(c, d, multiplier)
  }
  if (size >= 4) {
    return mix(length + (BigInt(view.getUint32(0, true)) << 3n), BigInt(view.getUint32(size - 4, true)), multiplier)
  }
  if (size === 0) return K2
  const y = BigInt(bytes[0]! + (bytes[size >> 1]! << 8))
  const z = BigInt(size + (bytes[size - 1]! << 2))
  return u64(shiftMix(u64(y * K2) ^ u64(z * K0)) * K2)
}

/** Two values from the first 16 and the last 16 bytes; `a` is the value of the first 8 bytes. */
function hashEnds(fetch64: Fetch64, size: number, a: bigint, multiplier: bigint): [bigint, bigint] {
  const b = fetch64(8)
  const c = u64(fetch64(size - 8) * multiplier)
  const d = u64(fetch64(size - 16) * K2)
  return [u64(rotate(u64(a + b), 43n) + rotate(c, 30n) + d), u64(a + rotate(u64(b + K2), 18n) + c)]
}

function hashUpTo32(fetch64: Fetch64, size: number): bigint {
  const multiplier = u64(K2 + BigInt(size) * 2n)
  return mix(...hashEnds(fetch64, size, u64(fetch64(0) * K1), multiplier), multiplier)
}

function hashUpTo64(fetch64: Fetch64, size: number): bigint {
  const multiplier = u64(K2 + BigInt(size) * 2n)
  const a = u64(fetch64(0) * K2)
  const [y, second] = hashEnds(fetch64, size, a, multiplier)
  const z = mix(y, second, multiplier)
  const e = u64(fetch64(16) * multiplier)
  const f = fetch64(24)
  const g = u64((y + fetch64(size - 32)) * multiplier)
  const h = u64((z + fetch64(size - 24)) * multiplier)
  return mix(u64(rotate(u64(e + f), 43n) + rotate(g, 30n) + h), u64(e + rotate(u64(f + a), 18n) + g), multiplier)
}

function hashWeakly(fetch64: Fetch64, offset: number, seedA: bigint, seedB: bigint): [bigint, bigint] {
  const [w, x, y, z] = [fetch64(offset), fetch64(offset + 8), fetch64(offset + 16), fetch64(offset + 24)]
  const start = u64(seedA + w)
  const b = rotate(u64(seedB + start + z), 21n)
  const a = u64(start + x + y)
  return [u64(a + z), u64(b + rotate(a, 44n) + start)]
}

function hashLonger(fetch64: Fetch64, size: number): bigint {
  const seed = 81n
  let x = u64(seed * K2 + fetch64(0))
  let y = u64(seed * K1 + 113n)
  let z = u64(shiftMix(u64(y * K2 + 113n)) * K2)
  let v: [bigint, bigint] = [0n, 0n]
  let w: [bigint, bigint] = [0n, 0n]
  const end = Math.floor((size - 1) / 64) * 64
  const tail = (size - 1) & 63
  for (let offset = 0; offset < end; offset += 64) {
    x = u64(rotate(u64(x + y + v[0] + fetch64(offset + 8)), 37n) * K1)
    y = u64(rotate(u64(y + v[1] + fetch64(offset + 48)), 42n) * K1)
    x ^= w[1]
    y = u64(y + v[0] + fetch64(offset + 40))
    z = u64(rotate(u64(z + w[0]), 33n) * K1)
    v = hashWeakly(fetch64, offset, u64(v[1] * K1), u64(x + w[0]))
    w = hashWeakly(fetch64, offset + 32, u64(z + w[1]), u64(y + fetch64(offset + 16)))
    ;[z, x] = [x, z]
  }
  const multiplier = u64(K1 + ((z & 0xffn) << 1n))
  const last = end + tail - 63
  w = [u64(w[0] + BigInt(tail)), w[1]]
  v = [u64(v[0] + w[0]), v[1]]
  w = [u64(w[0] + v[0]), w[1]]
  x = u64(rotate(u64(x + y + v[0] + fetch64(last + 8)), 37n) * multiplier)
  y = u64(rotate(u64(y + v[1] + fetch64(last + 48)), 42n) * multiplier)
  x ^= u64(w[1] * 9n)
  y = u64(y + v[0] * 9n + fetch64(last + 40))
  z = u64(rotate(u64(z + w[0]), 33n) * multiplier)
  v = hashWeakly(fetch64, last, u64(v[1] * multiplier), u64(x + w[0]))
  w = hashWeakly(fetch64, last + 32, u64(z + w[1]), u64(y + fetch64(last + 16)))
  ;[z, x] = [x, z]
  return mix(u64(mix(v[0], w[0], multiplier) + shiftMix(y) * K0 + z), u64(mix(v[1], w[1], multiplier) + x), multiplier)
}

export const HASH_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_farm_fingerprint', ['BLOB'], 'BIGINT', value => BigInt.asIntN(64, fingerprint64(value))),
  scalar('bq_sha512', ['BLOB'], 'BLOB', value => createHash('sha512').update(value).digest()),
]
