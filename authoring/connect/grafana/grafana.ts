/** Files that provision Grafana: a data source of the plugin Infinity, and a dashboard for each endpoint. */

import type { PublishedEndpoint } from '../../../runner/model/published-endpoint.js'
import { quoted } from '../../client/program-text.js'
import { baseUrlOf } from '../address.js'
import type { ConnectCall, ConnectTool } from '../tool.js'
import { dashboard } from './dashboard.js'

export const GRAFANA: ConnectTool = { name: 'grafana', title: 'Grafana', language: 'yaml', write }

export interface GrafanaFile {
  /** Below Grafana's folder `provisioning`. */
  readonly path: string
  readonly text: string
}

/** The files, one after another, as documents of YAML; JSON is YAML, too. */
function write(call: ConnectCall): string {
  const files = [dataSource(call), dashboardProvider(), dashboardFile(call)]
  return files.map(({ path, text }) => `---\n# provisioning/${path}\n${text}`).join('')
}

/** What `sluice connect grafana --all` writes. @param url the server's origin */
export function grafanaFiles(url: string, calls: readonly ConnectCall[]): readonly GrafanaFile[] {
  return [dataSource({ url }), dashboardProvider(), ...calls.map(dashboardFile)]
}

/** Grafana reads the token from its environment, and keeps it encrypted; it is never sent to a browser. */
function dataSource(server: Pick<ConnectCall, 'url'>): GrafanaFile {
  const text = `apiVersion: 1
datasources:
  - name: Sluice
    uid: sluice
    type: yesoreyeram-infinity-datasource
    access: proxy
    jsonData:
      allowedHosts:
        - ${quoted(baseUrlOf(server))}
      httpHeaderName1: X-API-KEY
    secureJsonData:
      httpHeaderValue1: $SLUICE_TOKEN
`
  return { path: 'datasources/sluice.yaml', text }
}

function dashboardProvider(): GrafanaFile {
  const text = `apiVersion: 1
providers:
  - name: Sluice
    folder: Sluice
    type: file
    options:
      path: /etc/grafana/provisioning/dashboards/sluice
`
  return { path: 'dashboards/sluice.yaml', text }
}

function dashboardFile(call: ConnectCall): GrafanaFile {
  return {
    path: `dashboards/sluice/${fileName(call.endpoint)}.json`,
    text: `${JSON.stringify(dashboard(call), null, 2)}\n`,
  }
}

const fileName = ({ name }: PublishedEndpoint): string => name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^\.+/, '')
