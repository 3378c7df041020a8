/** Cuts characters from the ends of a text in linear time. A regular expression such as `/=+$/` tries every `=` of the text. */

export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

export function withoutLeading(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return text.slice(start)
}
