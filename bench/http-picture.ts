/** Draws ratios as bars, in SVG that is readable on light and dark pages. */

export interface Bar {
  readonly label: string
  readonly values: readonly (readonly [name: string, value: number])[]
}

const WIDTH = 720
const LEFT = 150
const RIGHT = 60
const BAR = 16
const GAP = 4
const COLOURS = ['#2f6fde', '#8a8f98', '#c98a2b', '#b5493b']

/** The SVG of groups of bars, whose lengths are in proportion to their values; a line marks the value 1. */
export function barChart(groups: readonly Bar[]): string {
  const most = Math.max(1.05, ...groups.flatMap(group => group.values.map(([, value]) => value)))
  const scale = (WIDTH - LEFT - RIGHT) / most
  const parts: string[] = []
  let y = 44
  for (const { label, values } of groups) {
    parts.push(text(8, y + 12, label, 'font-weight="600"'))
    for (const [i, [name, value]] of values.entries()) {
      const top = y + 18 + i * (BAR + GAP)
      parts.push(text(LEFT - 8, top + 12, name, 'text-anchor="end"'))
      parts.push(
        `<rect x="${LEFT}" y="${top}" width="${(value * scale).toFixed(1)}" height="${BAR}" fill="${COLOURS[i]}"/>`,
      )
      parts.push(text(LEFT + value * scale + 6, top + 12, value.toFixed(2)))
    }
    y += 18 + values.length * (BAR + GAP) + 12
  }
  const one = (LEFT + scale).toFixed(1)
  const line = `<line x1="${one}" x2="${one}" y1="36" y2="${y - 8}" stroke="#8a8f98" stroke-dasharray="3 3"/>`
  const title = text(8, 20, 'Hits for each second of processor, as a share of bare node:http writing the same bytes')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    title,
    ...parts,
    line,
    '</svg>\n',
  ].join('\n')
}

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="#1f2328" ${more}>${content}</text>`
}
