/** A module of its own, since every command reads the log level with its settings, and log.ts takes long to load. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
