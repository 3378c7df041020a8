/** The parameters of an endpoint as variables of a dashboard. */

import { splitType } from '../../../runner/model/param.js'
import type { PublishedParameter } from '../../../runner/model/published-endpoint.js'
import { givenArguments, wellFormed } from '../address.js'
import type { ConnectCall } from '../tool.js'

/** Whether a person chooses the argument; others come from the dashboard's period. */
export const isVariable = ({ role }: PublishedParameter): boolean => role === undefined

/** The name in the dashboard, of letters, digits and `_`. */
export const variableName = ({ name }: PublishedParameter): string => name.replace(/[^A-Za-z0-9_]/g, '_')

export function dashboardVariables(call: ConnectCall): readonly object[] {
  const { endpoint } = call
  const values = new Map(givenArguments(call))
  return endpoint.parameters
    .filter(parameter => isVariable(parameter) && !Object.hasOwn(endpoint.pinned, parameter.name))
    .map(parameter => variable(parameter, values.get(parameter.name)))
}

function variable(parameter: PublishedParameter, texts: string | readonly string[] | undefined): object {
  const { description, required } = parameter
  const current = wellFormed(String((typeof texts === 'string' ? texts : texts?.[0]) ?? initialValue(parameter)))
  const choices = choicesOf(parameter)
  const allowsOtherValues = parameter.enum === undefined && splitType(parameter.type).scalar !== 'bool'
  const name = variableName(parameter)
  const common = {
    name,
    label: wellFormed(parameter.name),
    description: wellFormed(description),
    hide: 0,
    skipUrlSync: false,
  }
  if (choices === null || !(choices.includes(current) || current === '')) {
    const option = { selected: true, text: current, value: current }
    return { ...common, type: 'textbox', query: current, current: option, options: [option] }
  }
  const mayBeLeftOut = !required && parameter.default === undefined
  const all = [...(mayBeLeftOut ? [{ text: NONE, value: '' }] : []), ...choices.map(value => ({ text: value, value }))]
  const options = all.map(option => ({ selected: option.value === current, ...option }))
  const query = all.map(({ value }) => (value === '' ? EMPTY_CHOICE : value.replaceAll(',', '\\,')))
  return {
    ...common,
    type: 'custom',
    query: query.join(','),
    current: options.find(({ selected }) => selected) ?? { ...options[0]!, selected: true },
    options,
    multi: false,
    includeAll: false,
    allowCustomValue: allowsOtherValues,
  }
}

/** The text of the choice to give no argument. */
const NONE = 'none'
/** Grafana reads `text : value`, and trims both. */
const EMPTY_CHOICE = `${NONE} :  `

/** The value that a dashboard shows first: the default, an example of a required parameter, or nothing. */
function initialValue(parameter: PublishedParameter): string {
  const { default: fallback, examples, required } = parameter
  if (fallback !== undefined) return String(Array.isArray(fallback) ? (fallback[0] ?? '') : fallback)
  return required ? (examples?.[0] ?? choicesOf(parameter)?.[0] ?? '') : ''
}

/** The values to choose from; null where there are fewer than two, or where Grafana's form of a list cannot express them. */
function choicesOf({ type, enum: values, examples = [] }: PublishedParameter): readonly string[] | null {
  const texts = values?.map(String) ?? (splitType(type).scalar === 'bool' ? ['true', 'false'] : examples)
  if (values === undefined && texts.length < 2) return null
  return texts.every(text => text === text.trim() && text !== '' && !/\s:\s|\\/.test(text))
    ? texts.map(wellFormed)
    : null
}
