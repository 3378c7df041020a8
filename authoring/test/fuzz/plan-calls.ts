/** The calls of a fuzz run: each value of each parameter beside usual ones, then values at random. */
import type { LoadedEndpoint } from '../../../runner/manifest/load.js'
import { seededRandom } from '../../sample/random.js'
import type { TestArguments } from '../files/test-file.js'
import { argumentValues, type FuzzValue, usualValue } from './argument-values.js'

interface Axis {
  readonly name: string
  readonly isRequired: boolean
  readonly usual: FuzzValue
  readonly values: readonly FuzzValue[]
}

/** The calls, without duplicates: the same for the same endpoint, seed and count, and at least those of all boundaries. */
export function planFuzzCalls(detail: LoadedEndpoint, seed: number, count: number): readonly TestArguments[] {
  const axes = axesOf(detail)
  const calls = new Map<string, TestArguments>()
  const add = (args: TestArguments): void => void calls.set(JSON.stringify(args), args)
  for (const args of boundaryCalls(axes)) add(args)
  const random = seededRandom(seed)
  // Parameters with few values may give fewer than `count` different calls.
  for (let tries = count * 4; calls.size < count && tries > 0 && axes.length > 0; tries--) {
    const chosen = axes.filter(({ isRequired }) => isRequired || random.isTrue(0.5))
    add(
      Object.fromEntries(
        chosen.map(({ name, usual, values }) => [name, random.isTrue(0.3) ? usual : random.pick(values)]),
      ),
    )
  }
  return [...calls.values()]
}

/** The usual value of each required parameter. */
export function usualArguments(detail: LoadedEndpoint): TestArguments {
  return usual(axesOf(detail).filter(({ isRequired }) => isRequired))
}

function axesOf({ endpoint, lookupRows }: LoadedEndpoint): readonly Axis[] {
  return endpoint.parameters.map(parameter => {
    const { name, isRequired } = parameter
    const rows = Object.hasOwn(lookupRows, name) ? lookupRows[name]! : []
    return { name, isRequired, usual: usualValue(parameter, rows), values: argumentValues(parameter, rows) }
  })
}

const usual = (axes: readonly Axis[]): TestArguments => Object.fromEntries(axes.map(one => [one.name, one.usual]))

/** Each value beside the required parameters alone, and beside all of them. */
function boundaryCalls(axes: readonly Axis[]): readonly TestArguments[] {
  const required = usual(axes.filter(({ isRequired }) => isRequired))
  const all = usual(axes)
  const varied = axes.flatMap(({ name, values }) =>
    [required, all].flatMap(base => values.map(value => ({ ...base, [name]: value }))),
  )
  return [{}, required, all, ...varied]
}
