/** Is there a process of this id on this host? It may be another user's, or a later one that has got the same id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it may be somebody else's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
