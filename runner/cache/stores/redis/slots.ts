/** Which node of a cluster has which key: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */

const SLOTS = 16_384

/** The slot of a name, from 0 to 16,383. In a name with braces only the text between the first pair counts. */
export function slotOf(name: string): number {
  const open = name.indexOf('{')
  const close = open < 0 ? -1 : name.indexOf('}', open + 1)
  return crc16(Buffer.from(close > open + 1 ? name.slice(open + 1, close) : name)) % SLOTS
}

/** CRC16-CCITT (XMODEM), as the specification of the cluster has it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}

/** The key that a command is about; null for a command that any node takes. */
export function keyOf(command: readonly (string | Buffer)[]): string | null {
  const [name, first] = command
  if (name === 'EVAL') return String(command[3])
  return name === 'PUBLISH' || name === 'SCAN' || name === 'CLUSTER' ? null : String(first)
}

export interface Node {
  readonly host: string
  readonly port: number
}

/** The master of each slot, from the answer to CLUSTER SLOTS; null for any other reply. `asked` is the host that answered. */
export function mastersOf(reply: unknown, asked: string): readonly Node[] | null {
  if (!Array.isArray(reply) || reply.length === 0) return null
  const masters: Node[] = []
  for (const range of reply) {
    const [from, to, master] = Array.isArray(range) ? range : []
    const [host, port] = Array.isArray(master) ? master : []
    if (!isSlot(from) || !isSlot(to) || !(Number(port) > 0)) return null
    // A node without a name of its own is the one that was asked.
    const name = host === null || String(host) === '' ? asked : String(host)
    for (let slot = from; slot <= to; slot += 1) masters[slot] = { host: name, port: Number(port) }
  }
  return masters
}

const isSlot = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < SLOTS
