/** The places where the SQL of a query reads wildcard tables, by views of their shards, and partitioned tables. */
import { memo, type Shard } from '../../googlesql/data.js'
import type { StructField } from '../../googlesql/types/types.js'

/** A place where the SQL reads shards of a wildcard table. */
export interface ShardRead {
  /** The name of the view that the SQL reads: it has the table's columns and `_TABLE_SUFFIX`. */
  readonly view: string
  /** The wildcard table, such as `logs.events_*`. */
  readonly table: string
  readonly prefix: string
  /** The shards; null for all tables whose names begin with the prefix. */
  readonly shards: readonly Shard[] | null
  readonly columns: readonly StructField[]
  /**
   * Tests of the column SHARD_SUFFIX. A shard whose suffix does not pass all of them is not read. In a condition, `$1` is the
   * first of its `parameters`.
   */
  readonly conditions: readonly ShardCondition[]
}

export interface ShardCondition {
  readonly sql: string
  /** Indexes into the parameters of the query. */
  readonly parameters: readonly number[]
  /** Whether the condition reads the clock, so that its result may change while the query runs. */
  readonly readsClock: boolean
}

/** A read while the SQL is being written: in its conditions, parameters still have the numbers that they have in the query. */
export type WrittenRead = Omit<ShardRead, 'conditions'> & { readonly conditions: readonly WrittenCondition[] }
export type WrittenCondition = Omit<ShardCondition, 'parameters'>

/** Collects the reads of one query. */
export class ShardReads {
  readonly #reads = new Map<string, WrittenRead>()

  viewOf(read: Omit<WrittenRead, 'view'>): string {
    const key = JSON.stringify([read.table, read.conditions])
    return memo(this.#reads, key, () => ({ ...read, view: `~shards${this.#reads.size + 1}` })).view
  }

  all(): readonly WrittenRead[] {
    return [...this.#reads.values()]
  }
}

/** A place where the SQL reads a partitioned table. */
export interface PartitionRead {
  readonly table: string
  /** Tests of the hidden columns of PARTITION_ALIAS. A partition that does not pass all of them is not read. */
  readonly conditions: readonly ShardCondition[]
}

export type WrittenPartitionRead = Omit<PartitionRead, 'conditions'> & {
  readonly conditions: readonly WrittenCondition[]
}
