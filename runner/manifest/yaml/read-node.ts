/** YAML nodes → plain values, refusing what a manifest has no use for: anchors, aliases, tags, odd keys. */

import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import type { RuleId } from '../../model/rules.js'
import { describeValue, type TextMistake } from '../report.js'
import { findOddEscape } from './characters.js'

const MAX_DEPTH = 40

type ReportAt = (offset: number, rule: RuleId, message: string) => void

/** The plain value of a node: maps, lists, strings, numbers, booleans and null. Keys are strings and do not repeat. */
export function readNode(node: Node | null, report: ReportAt, depth = 0): unknown {
  if (node === null || node === undefined) return null
  const offset = node.range?.[0] ?? 0
  if (isAlias(node)) {
    const advice = 'write the value out, or use constants or a partial'
    report(offset, 'yaml/alias', `aliases are not allowed in manifests; ${advice}`)
    return null
  }
  if (node.anchor !== undefined)
    report(offset, 'yaml/alias', 'anchors are not allowed in manifests; write the value out where it is used')
  if (isExplicitTag(node)) report(offset, 'yaml/tag', `tags are not allowed in manifests: ${node.tag}`)
  if (depth > MAX_DEPTH) {
    report(offset, 'yaml/too-deep', `nested more than ${MAX_DEPTH} levels deep`)
    return null
  }
  if (isMap(node)) return readMap(node.items as Pair<Node, Node | null>[], report, depth)
  if (isSeq(node)) return (node.items as Node[]).map(item => readNode(item, report, depth + 1))
  return isScalar(node) ? readScalar(node.value, offset, report) : null
}

/** Whether the file has a tag here: the node does not keep tags that the parser infers. */
const isExplicitTag = (node: Node): boolean => node.tag !== undefined

function readScalar(value: unknown, offset: number, report: ReportAt): unknown {
  if (typeof value === 'string') {
    const mistake = findOddEscape(value, offset)
    if (mistake !== null) report(offset, mistake.rule, mistake.message)
    return value
  }
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  // Only an explicit tag makes a value of another type, and the tag has been reported.
  return null
}

function readMap(pairs: readonly Pair<Node, Node | null>[], report: ReportAt, depth: number): Record<string, unknown> {
  const map: Record<string, unknown> = {}
  const keys = new Set<string>()
  for (const pair of pairs) {
    const offset = pair.key?.range?.[0] ?? 0
    const key = isScalar(pair.key) ? pair.key.value : undefined
    if (typeof key !== 'string') {
      const found = isScalar(pair.key) ? describeValue(key) : 'a list or a map'
      const advice = typeof key === 'number' || typeof key === 'boolean' ? `; write "${String(key)}"` : ''
      report(offset, 'yaml/key', `a key must be text, found ${found}${advice}`)
      readNode(pair.value, report, depth + 1)
      continue
    }
    readNode(pair.key, report, depth + 1)
    const mistake = keyMistake(key, keys.has(key), offset)
    if (key === '<<')
      report(offset, 'yaml/alias', 'merge keys (<<) are not allowed in manifests; write the members out')
    else if (mistake !== null) report(offset, mistake.rule, mistake.message)
    else map[key] = readNode(pair.value, report, depth + 1)
    keys.add(key)
  }
  return map
}

/** What is wrong with a key of a map, in JSON too. */
export function keyMistake(key: string, isRepeated: boolean, offset: number): TextMistake | null {
  if (key === '__proto__') return { offset, rule: 'yaml/key', message: 'the key "__proto__" is not allowed' }
  const message = `the key "${key}" stands here a second time; delete one of them`
  return isRepeated ? { offset, rule: 'yaml/duplicate-key', message } : null
}
