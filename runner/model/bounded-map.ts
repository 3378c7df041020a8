/** Values that are kept by key; re-exported for folders that know nothing of SQL. */
export { BoundedMap, memo } from '../../googlesql/data.js'
