/** The levels of the log. Every command reads this file with its settings, and log.ts would take long to load. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
