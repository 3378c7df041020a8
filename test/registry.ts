/** Tests that install packages are not tried where no package registry can be reached. */

/** npm's codes, and the system's, where a registry cannot be reached. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|E40[37]|E50[234])\b/

/** Whether npm failed because no registry answered. Never true with SLUICE_TEST_REQUIRE=all, which allows no test to be skipped. */
export const isUnreachable = (printed: string): boolean =>
  process.env['SLUICE_TEST_REQUIRE'] !== 'all' && UNREACHABLE.test(printed)
