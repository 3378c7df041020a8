/** Messages for files that cannot be written: which file, why, and which setting chooses its place. */
import { SetupError } from '../model/errors.js'

/** The settings that choose where files are written, as messages name them. A test compares them with the settings table. */
export const SETTING = {
  data: '--data or SLUICE_DATA',
  tokens: '--tokens or SLUICE_TOKENS',
  tables: '--tables or SLUICE_TABLES',
  temporary: 'TMPDIR',
  skipBad: '--skip-bad',
  export: '--export',
} as const

export interface WriteTarget {
  /** The file in words: `the tokens file`. */
  readonly what: string
  readonly path: string
  /** One of SETTING. */
  readonly setting: string
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EDQUOT: 'the quota of the disk is used up',
  EEXIST: 'something else has this name: a file, or a link that leads nowhere',
  EFBIG: 'the file would be larger than it may be',
  EIO: 'the device reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead back to themselves',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of the path is a file, where a folder should be',
  ENXIO: 'there is no such device',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
}

/** The system's reason for refusing to read or write: `permission is denied (EACCES)`. */
export function fileReason(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (typeof code !== 'string') return message ?? String(cause)
  const reason = REASONS[code]
  return reason === undefined ? code : `${reason} (${code})`
}

/** The texts of C libraries, which DuckDB's messages contain, by error code. */
const SYSTEM_TEXTS: readonly (readonly [text: RegExp, code: string])[] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
  [/Permission denied/i, 'EACCES'],
  [/File too large/i, 'EFBIG'],
  [/Too many open files/i, 'EMFILE'],
  [/Input\/output error/i, 'EIO'],
  [/Not a directory/i, 'ENOTDIR'],
  [/No such file or directory/i, 'ENOENT'],
]

/**
 * The reason in another program's message, such as `IO Error: … No space left on device`; null where it names none of these
 * reasons.
 */
export function systemReason(text: string): string | null {
  const [, code] = SYSTEM_TEXTS.find(([pattern]) => pattern.test(text)) ?? []
  return code === undefined ? null : fileReason({ code })
}

/**
 * `cannot write the tokens file /x/tokens.json: permission is denied (EACCES); --tokens or SLUICE_TOKENS names another place`
 */
export function writeFailure({ what, path, setting }: WriteTarget, cause: unknown, reason = fileReason(cause)) {
  return new SetupError(`cannot write ${what} ${path}: ${reason}; ${setting} names another place`, { cause })
}
