/** The reader's preferences, kept in this browser. */
import { effect, signal } from '@preact/signals'
import type { Zone } from '../value/times.js'

const KEY = 'sluice.zone'

export const zone = signal<Zone>(localStorage.getItem(KEY) === 'local' ? 'local' : 'utc')

effect(() => localStorage.setItem(KEY, zone.value))

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Charts are drawn, not styled: they have to know. */
export const isDark = signal(dark.matches)

dark.addEventListener('change', () => {
  isDark.value = dark.matches
})
