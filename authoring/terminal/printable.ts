/** Texts of other people as a terminal may show them. */

/** Escapes characters that a terminal would obey, or that change the direction of text; the result is one line. */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escapeCharacter)

export const escapeCharacter = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Cuts a text to at most `length` characters; the last one is an ellipsis if others are left out. */
export function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text
}

export const widthOf = (text: string): number => [...text].length
