/** A box that scrolls by itself where it is wider than the page, and that the keyboard can reach. */
import type { ComponentChildren } from 'preact'

export function Scroll({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div class="scroll" tabIndex={0}>
      {children}
    </div>
  )
}
