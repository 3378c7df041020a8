/**
 * Template text → nodes. Handlebars parses the text and applies its white space rules; constructs that are not on our list
 * are refused.
 */
import Handlebars from 'handlebars'
import { lineStartsOf } from '../model/line-starts.js'
import { nodesOf } from './from-handlebars.js'
import type { ParsedTemplate, TemplateProblem } from './node.js'
import { findSyntaxProblem, findUnreadable } from './syntax-problem.js'

/** Parses a template. Never throws: a template with problems has only the nodes that could be read. */
export function parseTemplate(text: string): ParsedTemplate {
  if (!text.includes('{{')) return { nodes: text === '' ? [] : [{ kind: 'text', text, offset: 0 }], problems: [] }
  const unreadable = findUnreadable(text)
  if (unreadable !== null) return { nodes: [], problems: [unreadable] }
  let program: hbs.AST.Program
  try {
    program = Handlebars.parse(text)
  } catch (error) {
    return { nodes: [], problems: [findSyntaxProblem(text, error)] }
  }
  const problems: TemplateProblem[] = []
  const starts = lineStartsOf(text)
  const nodes = nodesOf(program, {
    offsetOf: position => (starts[position.line - 1] ?? text.length) + position.column,
    report: problem => problems.push(problem),
  })
  return { nodes, problems }
}
