/** What the declaration of a command needs, so that all commands report mistakes alike. */
import { Command } from 'commander'
import { readSettings, type Settings } from '../../runner/settings/settings.js'
import { settingFlags, withSettings } from './flags.js'
import type { Io } from './io.js'

/** A command that ends the process with the code that its work resolves to. */
export class ProgramCommand extends Command {
  readonly #exit: (code: number) => void

  constructor(exit: (code: number) => void, name?: string) {
    super(name)
    this.#exit = exit
  }

  override createCommand(name?: string): ProgramCommand {
    return new ProgramCommand(this.#exit, name)
  }

  /** @param work takes the operands, and after them the flags */
  runs<Given extends unknown[]>(work: (...given: Given) => Promise<number>): this {
    return this.action(async (...given) => this.#exit(await work(...(given as Given))))
  }
}

export type Declaring = ReturnType<typeof declaringIn>

export function declaringIn(program: ProgramCommand, io: Io) {
  /** Declares a command with the flags of these settings, of a group or else of the program. */
  const command = (
    signature: string,
    description: string,
    settingNames: readonly (string | null)[] = [],
    parent = program,
  ): ProgramCommand => {
    const made = withSettings(parent.command(signature).description(description), settingNames)
    const path = parent === program ? `sluice ${made.name()}` : `sluice ${parent.name()} ${made.name()}`
    const note = WRITTEN_AS[made.name()]
    return made.showHelpAfterError(
      `(${note === undefined ? '' : `${note}; `}usage: ${path} ${made.usage()}; ${path} --help lists the flags)`,
    )
  }
  return {
    io,
    command,
    /** Declares a command that only has commands. */
    group: (name: string, description: string) =>
      command(name, description).showHelpAfterError(`(sluice ${name} --help lists its commands)`),
    /** The settings that these flags and the environment give. @throws UsageError */
    settings: (flags: object): Settings => readSettings(settingFlags(flags), io.environment),
  }
}

/** How the arguments of a command are written, for commands whose arguments newcomers often write differently. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  call: "an endpoint's arguments are written name=value, without dashes",
  connect: "an endpoint's arguments are written name=value, without dashes",
  compare: "an endpoint's arguments are written name=value, without dashes",
  query: 'the SQL is one argument: put it in quotes',
}
