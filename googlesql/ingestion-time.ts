/** The pseudo columns of tables that are partitioned by ingestion time. */
import { DATE, type StructField, TIMESTAMP } from './types/types.js'

/** The beginning of the partition of a row, in UTC; NULL for a row that is in no partition. */
export const PARTITION_TIME = '_PARTITIONTIME'
/** The day of PARTITION_TIME; only tables with a partition for each day have it. */
export const PARTITION_DATE = '_PARTITIONDATE'

/** @param unit HOUR, DAY, MONTH or YEAR */
export const ingestionTimeColumns = (unit: string): readonly StructField[] => [
  { name: PARTITION_TIME, type: TIMESTAMP },
  ...(unit === 'DAY' ? [{ name: PARTITION_DATE, type: DATE }] : []),
]
