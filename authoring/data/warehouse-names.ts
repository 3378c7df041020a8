/** The warehouse's tables and datasets by the names that SQL and schema files use. */

import { UsageError } from '../../runner/model/errors.js'
import type { TablePlace } from './warehouse-tables.js'

/** A dataset and its project. */
export interface DatasetPlace {
  readonly project: string
  readonly dataset: string
}

/** Reads `dataset`, which is one of `project`, or `project.dataset`. @throws UsageError for another form. */
export function datasetPlace(text: string, project: string): DatasetPlace {
  const dot = text.lastIndexOf('.')
  const dataset = text.slice(dot + 1)
  if (!/^[\w-]+$/.test(dataset) || dot === 0) {
    throw new UsageError([`a dataset is named dataset or project.dataset, found ${JSON.stringify(text)}`])
  }
  return { project: dot < 0 ? project : text.slice(0, dot), dataset }
}

/** `dataset.table` or `project.dataset.table`. */
export function tablePlace(name: string, project: string): TablePlace {
  const dot = name.lastIndexOf('.')
  return { ...datasetPlace(name.slice(0, dot), project), table: name.slice(dot + 1) }
}

/** As SQL and schema files name it: with its project only where that is not `project`. */
export function tableName(place: TablePlace, project: string): string {
  const name = `${place.dataset}.${place.table}`
  return place.project === project ? name : `${place.project}.${name}`
}
