/** What the declaration of a command needs, so that all commands report mistakes alike. */
import type { Command } from 'commander'
import type { Io } from './io.js'

export type Declaring = ReturnType<typeof declaringIn>

/** @param exit takes the exit code of the command that has run */
export function declaringIn(program: Command, io: Io, exit: (code: number) => void) {
  /** Declares a command, of a group or else of the program. */
  const command = (signature: string, description: string, parent = program): Command => {
    const made = parent
      .command(signature)
      .description(description)
      .exitOverride()
      .configureOutput({ writeOut: io.print, writeErr: io.printError })
    const path = parent === program ? `sluice ${made.name()}` : `sluice ${parent.name()} ${made.name()}`
    const note = WRITTEN_AS[made.name()]
    return made.showHelpAfterError(
      `(${note === undefined ? '' : `${note}; `}usage: ${path} ${made.usage()}; ${path} --help lists the flags)`,
    )
  }
  /** Declares a command that only has commands. */
  const group = (name: string, description: string): Command =>
    command(name, description).showHelpAfterError(`(sluice ${name} --help lists its commands)`)
  return { io, exit, command, group }
}

/** How the arguments of a command are written, where newcomers write them otherwise. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  call: "an endpoint's arguments are written name=value, without dashes",
  connect: "an endpoint's arguments are written name=value, without dashes",
  compare: "an endpoint's arguments are written name=value, without dashes",
  query: 'the SQL is one argument: put it in quotes',
}
