/** The text as one word of a POSIX shell: quoted unless each character of it stands for itself. */
export const shellWord = (text: string): string =>
  /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
