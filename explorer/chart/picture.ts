/** A chart as a PNG: with its name and legend, which stand beside the canvas on the page. */
import { isDark } from '../state/preferences.js'
import { coloursOf } from './colours.js'

interface Words {
  readonly title: string
  readonly legend: readonly { readonly name: string; readonly colour: string }[]
}

const HEAD_PX = 52
const MARGIN_PX = 14

export function pictureOf(chart: HTMLCanvasElement, { title, legend }: Words): Promise<Blob> {
  const ratio = devicePixelRatio || 1
  const canvas = document.createElement('canvas')
  const head = (HEAD_PX + MARGIN_PX) * ratio
  canvas.width = chart.width + 2 * MARGIN_PX * ratio
  canvas.height = chart.height + head + MARGIN_PX * ratio
  const context = canvas.getContext('2d')!
  const { paper, text } = coloursOf(isDark.value)
  context.fillStyle = paper
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(chart, MARGIN_PX * ratio, head)
  context.scale(ratio, ratio)
  context.fillStyle = text
  context.font = '600 15px system-ui, sans-serif'
  context.fillText(title, MARGIN_PX, 28)
  context.font = '12px system-ui, sans-serif'
  let left = MARGIN_PX
  for (const { name, colour } of legend) {
    context.fillStyle = colour
    context.fillRect(left, 42, 10, 10)
    context.fillStyle = text
    context.fillText(name, left + 15, 51)
    left += context.measureText(name).width + 34
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new DOMException('No picture')))),
  )
}
