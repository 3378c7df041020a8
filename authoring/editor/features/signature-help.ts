/** Signature help: the signatures of the call that the cursor is in, and the argument that it is at. */
import type { SignatureHelp, SignatureInformation } from 'vscode-languageserver'
import type { ListedFunction } from '../../../googlesql/index.js'
import { namePathAt, type SqlCursor } from '../cursor.js'
import { FUNCTIONS, functionText } from '../documentation.js'
import { markdown } from './items.js'

export function signatureHelp({ tokens, offset, tag }: SqlCursor): SignatureHelp | null {
  if (tag !== null) return null
  let depth = 0
  let argument = 0
  for (let i = tokens.findLastIndex(({ end, kind }) => kind !== 'end' && end <= offset); i >= 0; i--) {
    const { term } = tokens[i]!
    if (term === ')' || term === ']') depth++
    else if (term === '[') depth = Math.max(0, depth - 1)
    else if (term === ',' && depth === 0) argument++
    else if (term === '(' && depth > 0) depth--
    else if (term === '(') {
      const name = namePathAt(tokens, i - 1)
      const functions = name && FUNCTIONS.get(name.path.join('.').toUpperCase())
      if (functions) return helpOf(functions, argument)
      argument = 0
    }
  }
  return null
}

function helpOf(functions: readonly ListedFunction[], argument: number): SignatureHelp {
  const signatures = functions.flatMap(entry => entry.signatures.map(label => signatureOf(label, functionText(entry))))
  const fitting = signatures.findIndex(({ parameters = [] }) => argument < parameters.length || isRepeated(parameters))
  const activeSignature = Math.max(0, fitting)
  const count = signatures[activeSignature]?.parameters?.length ?? 0
  return { signatures, activeSignature, activeParameter: Math.min(argument, Math.max(0, count - 1)) }
}

const isRepeated = (parameters: NonNullable<SignatureInformation['parameters']>): boolean =>
  String(parameters[parameters.length - 1]?.label ?? '').includes('...')

function signatureOf(label: string, documentation: string): SignatureInformation {
  return {
    label,
    documentation: markdown(documentation),
    parameters: parametersOf(label).map(parameter => ({ label: parameter })),
  }
}

/** The texts of the parameters: `LPAD(STRING, INT64, [STRING]) -> STRING` has three. Types within them may be in brackets. */
const parametersOf = (signature: string): readonly string[] => {
  const inside = /\((?:[^()]|\([^()]*\))*\)/.exec(signature)?.[0].slice(1, -1) ?? ''
  return [...inside.matchAll(/(?:[^,<(]|<(?:[^<>]|<[^<>]*>)*>|\([^()]*\))+/g)].map(([parameter]) => parameter.trim())
}
