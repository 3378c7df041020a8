/** Copies a text. */
import { useSignal } from '@preact/signals'

interface CopyProps {
  readonly what: string
  readonly text: () => string
  /** What the button shows. @default Copy */
  readonly label?: string
}

export function CopyButton({ what, text, label = 'Copy' }: CopyProps) {
  const isCopied = useSignal(false)
  const copy = async (): Promise<void> => {
    isCopied.value = await copyText(text())
    setTimeout(() => {
      isCopied.value = false
    }, 1_500)
  }
  return (
    <button
      type="button"
      class="quiet small copy"
      aria-label={`${label === 'Copy' ? label : `${label}:`} ${what}`}
      onClick={copy}
    >
      {isCopied.value ? 'Copied' : label}
    </button>
  )
}

/** Returns whether the text was copied. Browsers offer their clipboard for https and localhost only: elsewhere the older way is used. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
