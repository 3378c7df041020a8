/** The endpoint that is open, and what its fields hold. */
import { computed, signal } from '@preact/signals'
import type { Arguments, Endpoint, Parameter } from '../api/contract.js'
import { own } from '../value/own.js'
import { readAddress } from './address.js'
import { endpoints } from './session.js'

export const address = signal(readAddress(location.hash))

/** By name or id; null: the list is open; undefined: there is no such endpoint, or the token may not call it. */
export const endpoint = computed<Endpoint | null | undefined>(() => {
  const { ref } = address.value
  return ref === '' ? null : endpoints.value?.find(({ name, id }) => name === ref || id === ref)
})

/** The text of each field, by endpoint, so that it is kept while another endpoint is open. */
const texts = signal<Readonly<Record<string, Readonly<Record<string, string>>>>>({})

/** The values that each parameter was last called with, whichever endpoint declared it: offered, but not filled in automatically. */
export const lastUsed = signal<Readonly<Record<string, readonly string[]>>>({})

export const fieldTexts = computed(() => own(texts.value, endpoint.value?.name ?? '') ?? {})

export function setField(name: string, text: string): void {
  const of = endpoint.value
  if (of) texts.value = { ...texts.value, [of.name]: { ...own(texts.value, of.name), [name]: text } }
}

/** The texts of the fields for the arguments in this address. A list has one value per line. */
export function fillFields(of: Endpoint, args: Arguments): void {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.join('\n'),
  ])
  texts.value = { ...texts.value, [of.name]: Object.fromEntries(entries) }
}

export const isPinned = (of: Endpoint, { name }: Parameter): boolean => Object.hasOwn(of.pinned, name)

/** The arguments in the fields. An empty field gives no argument; the server sets those that the token pins. */
export function argumentsOfFields(of: Endpoint, fields: Readonly<Record<string, string>>): Arguments {
  const args: Record<string, string | readonly string[]> = {}
  for (const parameter of of.parameters) {
    const text = own(fields, parameter.name) ?? ''
    if (text === '' || isPinned(of, parameter)) continue
    const lines = text.split('\n').filter(line => line !== '')
    args[parameter.name] = parameter.type.startsWith('array') ? lines : text
  }
  return args
}
