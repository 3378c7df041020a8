/** Where a test file names an argument, for a rename of the parameter. */
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import type { SourceText } from '../../../runner/manifest/discover.js'
import { PARSE_OPTIONS } from './load.js'

/** The offsets of every key `name` in `arguments` maps, and of the name in `problem.parameters`. */
export function readTestArguments({ text }: SourceText, name: string): readonly number[] {
  const document = parseDocument(text, PARSE_OPTIONS)
  const cases = document.get('tests', true)
  if (!isSeq(cases)) return []
  return cases.items.flatMap((_, index) => {
    const casePath = ['tests', index]
    const maps = [
      [...casePath, 'arguments'],
      [...casePath, 'expect', 'same_as', 'arguments'],
    ].map(path => document.getIn(path, true))
    const keys = maps.flatMap(map => (isMap(map) ? map.items.map(({ key }) => key as Node) : []))
    const parameters = document.getIn([...casePath, 'expect', 'problem', 'parameters'], true)
    return [...keys, ...(isSeq(parameters) ? (parameters.items as Node[]) : [])].flatMap(node => {
      if (!isScalar(node) || node.value !== name || !node.range) return []
      return [node.range[0] + (/["']/.test(text[node.range[0]] ?? '') ? 1 : 0)]
    })
  })
}
