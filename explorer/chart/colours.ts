/** The colours of charts. Lines differ in lightness too, for readers who are colour-blind. */

interface Colours {
  readonly lines: readonly string[]
  readonly grid: string
  readonly text: string
  readonly paper: string
}

const LIGHT: Colours = {
  lines: ['#0b7a6e', '#c2570c', '#5b4bc4', '#b3245c', '#2f7fc1', '#8a6d0b', '#3c8f2f', '#7a5a4a'],
  grid: '#e3e8ea',
  text: '#55626b',
  paper: '#ffffff',
}

const DARK: Colours = {
  lines: ['#3ecdbb', '#f59a55', '#a597ff', '#f47ca8', '#6cb7f2', '#dcc04a', '#83cf72', '#c9a793'],
  grid: '#2a343a',
  text: '#a3b0b8',
  paper: '#161c20',
}

export const coloursOf = (isDark: boolean): Colours => (isDark ? DARK : LIGHT)
