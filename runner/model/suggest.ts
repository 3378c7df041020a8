/** The word that was probably meant; re-exported for folders that know nothing of SQL. */
export { nearest } from '../../googlesql/index.js'
