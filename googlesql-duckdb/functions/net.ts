/** DuckDB SQL of the NET functions. */
import type { SqlWriter, SqlWriters } from './function-sql.js'

const native =
  (name: string): SqlWriter =>
  call =>
    `${name}(${call.sql.join(', ')})`

const refusing =
  (name: string): SqlWriter =>
  call =>
    `bq_unrefused(${native(name)(call)})`

export const NET_WRITERS: SqlWriters = {
  'NET.HOST': native('bq_net_host'),
  'NET.IP_FROM_STRING': native('bq_net_ip_from_string'),
  'NET.IP_IN_NET': native('bq_net_ip_in_net'),
  'NET.IP_NET_MASK': native('bq_net_ip_net_mask'),
  'NET.IP_TO_STRING': native('bq_net_ip_to_string'),
  'NET.IP_TRUNC': native('bq_net_ip_trunc'),
  'NET.IPV4_FROM_INT64': native('bq_net_ipv4_from_int64'),
  'NET.IPV4_TO_INT64': native('bq_net_ipv4_to_int64'),
  'NET.MAKE_NET': native('bq_net_make_net'),
  'NET.PUBLIC_SUFFIX': refusing('bq_net_public_suffix'),
  'NET.REG_DOMAIN': refusing('bq_net_reg_domain'),
  'NET.SAFE_IP_FROM_STRING': native('bq_net_safe_ip_from_string'),
}
