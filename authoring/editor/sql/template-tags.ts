/** Tags of a template that is being typed: the one at the cursor, and SQL in which tags are blanked out. */

/** A tag, or the beginning of one that is not closed yet. Offsets count UTF-16 units of the template. */
export type Tag = ReturnType<typeof tagsOf>[number]

const TAG = /\{\{([^{}\n]*)(\}\})?/g

export const tagsOf = (template: string) =>
  [...template.matchAll(TAG)].map(({ 0: whole, 1: content = '', 2: close, index }) => ({
    /** The offset of `{{`. */
    at: index,
    /** The offset after `}}`, or where the unclosed tag ends. */
    end: index + whole.length,
    /** The text between the braces. */
    content,
    contentAt: index + 2,
    isClosed: close !== undefined,
  }))

/** The tag whose inside holds the offset. */
export const tagAt = (template: string, offset: number): Tag | null =>
  tagsOf(template).find(
    ({ contentAt, end, isClosed }) => contentAt <= offset && offset <= (isClosed ? end - 2 : end),
  ) ?? null

/** The template with each value as a name of the same length, and other tags as blanks: offsets stay the same. */
export const withoutTags = (template: string): string =>
  template.replace(TAG, (whole: string, content: string) =>
    /^~?\s*[#/>!^]|^~?\s*else\b/.test(content) ? whole.replace(/./g, ' ') : `v${'_'.repeat(whole.length - 1)}`,
  )
