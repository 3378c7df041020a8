/** The names of columns that views of tables have for the engine, and that no query can name. */

/** The inclusive lower bound of the values of a row's partition. */
export const FROM_COLUMN = '"~from"'
/** The exclusive upper bound of the values of a row's partition. */
export const UNTIL_COLUMN = '"~until"'
/** The alias of the rows that the conditions on partitions are evaluated for: one row for each partition. */
export const PARTITION_ALIAS = 'part'
/** The suffix of a shard, in the conditions by which shards are chosen. */
export const SHARD_SUFFIX = '"~suffix"'
