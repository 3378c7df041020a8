/** The names of the hidden columns of a table's view. The generated SQL reads them; a query cannot name them. */

/** The inclusive lower bound of the values of a row's partition. */
export const FROM_COLUMN = '"~from"'
/** The exclusive upper bound of the values of a row's partition. */
export const UNTIL_COLUMN = '"~until"'
/** The alias of the rows for which the engine evaluates the conditions on partitions: one row for each partition. */
export const PARTITION_ALIAS = 'part'
/** The suffix of a shard, in the conditions by which shards are chosen. */
export const SHARD_SUFFIX = '"~suffix"'
