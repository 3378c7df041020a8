/** What may be wider than the page scrolls by itself, and is reached by the keyboard for that. */
import type { ComponentChildren } from 'preact'

export function Scroll({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div class="scroll" tabIndex={0}>
      {children}
    </div>
  )
}
