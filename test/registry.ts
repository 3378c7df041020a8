/** Lets tests that install packages be skipped where no package registry can be reached. */
import { isRequired } from './installed/installed.js'

/** Error codes of npm and of the system for a registry that cannot be reached. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|E40[37]|E50[234])\b/

/** Whether npm failed because no registry answered. Never true with SLUICE_TEST_REQUIRE=all, which allows no test to be skipped. */
export const isUnreachable = (printed: string): boolean => !isRequired && UNREACHABLE.test(printed)
