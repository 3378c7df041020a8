/** Closes an engine or a runner after its use. */

/** Returns what `use` returns, and closes `opened` afterwards, also if `use` fails. */
export async function closing<T, R extends { readonly close: () => Promise<void> }>(
  opened: R,
  use: (opened: R) => Promise<T>,
): Promise<T> {
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}
