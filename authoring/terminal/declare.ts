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
  runs<Args extends unknown[]>(work: (...args: Args) => Promise<number>): this {
    return this.action(async (...args) => this.#exit(await work(...(args as Args))))
  }
}

export type Declarer = ReturnType<typeof declarerIn>

export function declarerIn(program: ProgramCommand, io: Io) {
  /** Declares a command, in a group or in the program itself, with the flags of these settings. */
  const command = (
    signature: string,
    description: string,
    settingNames: readonly (string | null)[] = [],
    parent = program,
  ): ProgramCommand => {
    const newCommand = withSettings(parent.command(signature).description(description), settingNames)
    const path = parent === program ? `sluice ${newCommand.name()}` : `sluice ${parent.name()} ${newCommand.name()}`
    const note = ARGUMENT_NOTES[newCommand.name()]
    return newCommand.showHelpAfterError(
      `(${note === undefined ? '' : `${note}; `}usage: ${path} ${newCommand.usage()}; ${path} --help lists the flags)`,
    )
  }
  return {
    io,
    command,
    /** Declares a command that only has subcommands. */
    group: (name: string, description: string) =>
      command(name, description).showHelpAfterError(`(sluice ${name} --help lists its commands)`),
    /** The settings that these flags and the environment give. @throws UsageError */
    settings: (flags: object): Settings => readSettings(settingFlags(flags), io.environment),
  }
}

/** Notes for usage errors of commands whose arguments newcomers often write wrongly. */
const ARGUMENT_NOTES: Readonly<Record<string, string>> = {
  call: "an endpoint's arguments are written name=value, without dashes",
  connect: "an endpoint's arguments are written name=value, without dashes",
  compare: "an endpoint's arguments are written name=value, without dashes",
  query: 'the SQL is one argument: put it in quotes',
}
