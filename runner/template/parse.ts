/**
 * Template text → nodes. Handlebars parses the text and applies its white space rules; constructs that are not on our list
 * are refused.
 */
import Handlebars from 'handlebars'
import { lineStartsOf } from '../model/line-starts.js'
import { NodeReader } from './from-handlebars.js'
import type { ParsedTemplate } from './node.js'
import { findRefusal, findSyntaxProblem } from './syntax-problem.js'

/** Parses a template. Never throws: a template with problems has only the nodes that could be read. */
export function parseTemplate(text: string): ParsedTemplate {
  if (!text.includes('{{')) return { nodes: text === '' ? [] : [{ kind: 'text', text, offset: 0 }], problems: [] }
  const refusal = findRefusal(text)
  if (refusal !== null) return { nodes: [], problems: [refusal] }
  let program: hbs.AST.Program
  try {
    program = Handlebars.parse(text)
  } catch (error) {
    return { nodes: [], problems: [findSyntaxProblem(text, error)] }
  }
  const starts = lineStartsOf(text)
  const reader = new NodeReader(({ line, column }) => (starts[line - 1] ?? text.length) + column)
  return { nodes: reader.nodesOf(program), problems: reader.problems }
}
