/** DuckDB SQL of the NET functions. */
import { callTo, type SqlWriter, type SqlWriters } from './function-sql.js'

const callOrRefuse =
  (name: string): SqlWriter =>
  call =>
    `bq_raise_refusal(${callTo(name)(call)})`

export const NET_WRITERS: SqlWriters = {
  'NET.HOST': callTo('bq_net_host'),
  'NET.IP_FROM_STRING': callTo('bq_net_ip_from_string'),
  'NET.IP_IN_NET': callTo('bq_net_ip_in_net'),
  'NET.IP_NET_MASK': callTo('bq_net_ip_net_mask'),
  'NET.IP_TO_STRING': callTo('bq_net_ip_to_string'),
  'NET.IP_TRUNC': callTo('bq_net_ip_trunc'),
  'NET.IPV4_FROM_INT64': callTo('bq_net_ipv4_from_int64'),
  'NET.IPV4_TO_INT64': callTo('bq_net_ipv4_to_int64'),
  'NET.MAKE_NET': callTo('bq_net_make_net'),
  'NET.PUBLIC_SUFFIX': callOrRefuse('bq_net_public_suffix'),
  'NET.REG_DOMAIN': callOrRefuse('bq_net_reg_domain'),
  'NET.SAFE_IP_FROM_STRING': callTo('bq_net_safe_ip_from_string'),
}
