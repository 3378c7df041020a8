/** The value of a JSON text; undefined for any other text. An error of JSON.parse would quote the text, which may be secret. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
