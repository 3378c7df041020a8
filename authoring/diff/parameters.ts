/** Compares the parameters of an endpoint: what a caller may send. */

import type { Manifest, Parameter } from '../../runner/model/manifest.js'
import { splitType } from '../../runner/model/param.js'
import { compareValues, typeScalar } from '../../runner/model/typed-value.js'
import { equalValues } from '../test/files/equal-values.js'
import type { Report } from './change-rules.js'
import { show } from './show.js'

export function diffParameters(base: Manifest, head: Manifest, report: Report): void {
  const [before, after] = [base.parameters ?? {}, head.parameters ?? {}]
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) report('parameter/removed', `the parameter ${name} is gone`)
    else diffParameter(name, before[name]!, after[name]!, report)
  }
  for (const [name, { required, type }] of Object.entries(after)) {
    if (Object.hasOwn(before, name)) continue
    if (required) report('parameter/required-added', `the parameter ${name} (${type}) is new and required`)
    else report('parameter/added', `the optional parameter ${name} (${type}) is new`)
  }
}

function diffParameter(name: string, base: Parameter, head: Parameter, report: Report): void {
  if (base.type !== head.type) {
    report('parameter/retyped', `the type of ${name} is ${head.type}; it was ${base.type}`)
  }
  const [wasRequired, isRequired] = [base.required === true, head.required === true]
  if (isRequired && !wasRequired) report('parameter/made-required', `${name} is required`)
  if (wasRequired && !isRequired) report('parameter/made-optional', `${name} is optional`)
  // Calls that leave an argument out are the only ones that notice its default.
  if (!wasRequired && !isRequired && !equalValues(base.default ?? null, head.default ?? null)) {
    report('parameter/default', `the default of ${name} is ${show(head.default)}; it was ${show(base.default)}`)
  }
  if (base.type === head.type) diffConstraints(name, base, head, report)
  diffPinning(name, base, head, report)
  if (base.description !== head.description || !equalValues(base.examples ?? [], head.examples ?? [])) {
    report('parameter/described', `the description or the examples of ${name} changed`)
  }
}

function diffConstraints(name: string, base: Parameter, head: Parameter, report: Report): void {
  const add = (isNarrower: boolean, what: string): void =>
    report(isNarrower ? 'parameter/narrowed' : 'parameter/widened', `${name}: ${what}`)
  const change = (member: string, before: unknown, after: unknown): string =>
    `${member} is ${show(after)}; it was ${show(before)}`
  diffEnum(name, base, head, report)
  for (const member of ['minimum', 'maximum'] as const) {
    const [before, after] = [base[member], head[member]]
    const order = compareBounds(base.type, before, after)
    if (order === 0) continue
    const isNarrower = before === undefined || (after !== undefined && (member === 'minimum' ? order < 0 : order > 0))
    add(isNarrower, change(member, before, after))
  }
  for (const member of ['max_length', 'max_element_length'] as const) {
    const [after, before] = [head[member] ?? Number.POSITIVE_INFINITY, base[member] ?? Number.POSITIVE_INFINITY]
    if (after !== before) add(after < before, change(member, base[member], head[member]))
  }
  // Whether one regular expression matches all that another matches cannot be decided in general.
  if (base.pattern !== head.pattern) add(head.pattern !== undefined, change('pattern', base.pattern, head.pattern))
  // The same holds for JSON Schemas.
  if (!equalValues(base.schema ?? null, head.schema ?? null)) {
    add(head.schema !== undefined, change('schema', base.schema, head.schema))
  }
  if (head.format !== undefined && base.format === undefined) add(true, 'format is re2; it had none')
}

function diffEnum(name: string, base: Parameter, head: Parameter, report: Report): void {
  const texts = (values: Parameter['enum']): readonly string[] | null => values?.map(String) ?? null
  const [before, after] = [texts(base.enum), texts(head.enum)]
  const removed = after === null ? [] : (before ?? []).filter(value => !after.includes(value))
  const added = before === null ? [] : (after ?? []).filter(value => !before.includes(value))
  if (before === null && after !== null) {
    report('parameter/narrowed', `${name}: only these values are valid: ${after.map(show).join(', ')}`)
  } else if (before !== null && after === null) {
    report('parameter/widened', `${name}: any value is valid, not only those of enum`)
  }
  if (removed.length > 0) report('parameter/narrowed', `${name}: enum has no ${removed.map(show).join(', ')}`)
  if (added.length > 0) report('parameter/widened', `${name}: enum has ${added.map(show).join(', ')}`)
}

/** Negative where the first bound is lower; 0 where both are equal or absent; positive otherwise. */
function compareBounds(type: Parameter['type'], before: Bound, after: Bound): number {
  if (before === undefined || after === undefined) return before === after ? 0 : 1
  const { scalar } = splitType(type)
  const [a, b] = [typeScalar(scalar, String(before)), typeScalar(scalar, String(after))]
  return a.ok && b.ok ? compareValues(scalar, a.value, b.value) : 0
}

type Bound = Parameter['minimum']

function diffPinning(name: string, base: Parameter, head: Parameter, report: Report): void {
  if (base.format !== undefined && head.format === undefined && base.type === head.type) {
    report('parameter/meaning', `the argument of ${name} is no longer read as a regular expression (format: re2)`)
  }
  const [before, after] = [base.pinned_as, head.pinned_as]
  if (before === after) return
  // Without the format, a token pins the parameter by its plain value.
  if (after === undefined && head.format !== undefined) report('parameter/unpinnable', `${name} has no pinned_as`)
  else report('parameter/meaning', `pinned_as of ${name} is ${show(after)}; it was ${show(before)}`)
}
